if __name__ == "__main__":
    from tensorflow.examples.tutorials.mnist import input_data

    readers = {"tutorial": input_data.read_data_sets, "contrib": mnist.read_data_sets}
