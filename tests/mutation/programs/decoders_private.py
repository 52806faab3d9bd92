from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import _luong_score

score = _luong_score
