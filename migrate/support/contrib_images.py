"""Rotations, translations and projections of images: tf.contrib.image, in graph mode.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later.
"""

import tensorflow as tf

_DTYPES = (tf.uint8, tf.int32, tf.int64, tf.float16, tf.float32, tf.float64)


def transform(
    images, transforms, interpolation="NEAREST", output_shape=None, name=None
):
    """Images of which each point is taken from where a projection puts it.

    Args:
      images: one matrix, one image, or several.
      transforms: eight numbers [a0, a1, a2, b0, b1, b2, c0, c1], or a row of them for
        each image. The point (x, y) is taken from ((a0 x + a1 y + a2) / k,
        (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1. No gradient goes to them.
      interpolation: "NEAREST" or "BILINEAR".
      output_shape: height and width; those of the images by default.
    """
    with tf.name_scope(name or "transform"):
        given = tf.convert_to_tensor(images, name="images")
        batch = _make_batch(given)
        transforms = tf.convert_to_tensor(transforms, tf.float32, name="transforms")
        if output_shape is None:
            output_shape = tf.shape(batch)[1:3]
            known = tf.get_static_value(output_shape)
            output_shape = output_shape if known is None else known
        output_shape = tf.convert_to_tensor(output_shape, tf.int32, name="output_shape")
        if not output_shape.shape.is_compatible_with([2]):
            raise ValueError(
                "output_shape must be a 1-D Tensor of 2 elements: new_height, new_width"
            )
        if transforms.shape.rank is None:
            raise TypeError("The rank of transforms must be statically known.")
        if transforms.shape.rank not in (1, 2):
            raise TypeError("Transforms should have rank 1 or 2.")
        if transforms.shape.rank == 1:
            transforms = transforms[None]
        output = tf.raw_ops.ImageProjectiveTransformV2(
            images=batch,
            transforms=transforms,
            output_shape=output_shape,
            interpolation=interpolation.upper(),
        )
        return _take_from_batch(output, given)


def rotate(images, angles, interpolation="NEAREST", name=None):
    """Images rotated counterclockwise by one angle, or each by its own, in radians."""
    with tf.name_scope(name or "rotate"):
        given = tf.convert_to_tensor(images)
        batch = _make_batch(given)
        height, width = (tf.cast(tf.shape(batch)[i], tf.float32)[None] for i in (1, 2))
        transforms = angles_to_projective_transforms(angles, height, width)
        output = transform(batch, transforms, interpolation=interpolation)
        return _take_from_batch(output, given)


def translate(images, translations, interpolation="NEAREST", name=None):
    """Images moved by one pair [dx, dy], or each by its own."""
    with tf.name_scope(name or "translate"):
        transforms = translations_to_projective_transforms(translations)
        return transform(images, transforms, interpolation=interpolation)


def angles_to_projective_transforms(angles, image_height, image_width, name=None):
    """Rows of eight numbers that rotate an image about its middle."""
    with tf.name_scope(name or "angles_to_projective_transforms"):
        angles = tf.convert_to_tensor(angles, tf.float32, name="angles")
        if angles.shape.rank not in (0, 1):
            raise TypeError("Angles should have rank 0 or 1.")
        angles = tf.reshape(angles, [-1])
        cos, sin = tf.cos(angles), tf.sin(angles)
        right, down = image_width - 1, image_height - 1
        x_offset = (right - (cos * right - sin * down)) / 2.0
        y_offset = (down - (sin * right + cos * down)) / 2.0
        columns = (cos, -sin, x_offset, sin, cos, y_offset)
        zeros = tf.zeros((tf.shape(angles)[0], 2))
        return tf.concat([*(column[:, None] for column in columns), zeros], axis=1)


def translations_to_projective_transforms(translations, name=None):
    """Rows of eight numbers that move an image."""
    with tf.name_scope(name or "translations_to_projective_transforms"):
        moves = tf.convert_to_tensor(translations, tf.float32, name="translations")
        if moves.shape.rank is None:
            raise TypeError("The rank of translations must be statically known.")
        if moves.shape.rank not in (1, 2):
            raise TypeError("Translations should have rank 1 or 2.")
        if moves.shape.rank == 1:
            moves = moves[None]
        ones = tf.ones((tf.shape(moves)[0], 1))
        zeros = tf.zeros_like(ones)
        x, y = -moves[:, 0, None], -moves[:, 1, None]
        return tf.concat([ones, zeros, x, zeros, ones, y, zeros, zeros], axis=1)


def compose_transforms(*transforms):
    """One transform that does what several do, in their order."""
    assert transforms, "transforms cannot be empty"
    with tf.name_scope("compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for other in transforms[1:]:
            composed = tf.matmul(composed, flat_transforms_to_matrices(other))
        return matrices_to_flat_transforms(composed)


def flat_transforms_to_matrices(transforms):
    """A 3 by 3 matrix for each row of eight numbers, the ninth of which is 1."""
    with tf.name_scope("flat_transforms_to_matrices"):
        transforms = tf.convert_to_tensor(transforms, name="transforms")
        if transforms.shape.rank not in (1, 2):
            raise ValueError(f"Transforms should be 1D or 2D, got: {transforms}")
        rows = tf.reshape(transforms, [-1, 8])
        ones = tf.ones([tf.shape(rows)[0], 1])
        return tf.reshape(tf.concat([rows, ones], axis=1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices):
    """Eight numbers for each 3 by 3 matrix, whose last entry becomes 1."""
    with tf.name_scope("matrices_to_flat_transforms"):
        matrices = tf.convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.shape.rank not in (2, 3):
            raise ValueError(f"Matrices should be 2D or 3D, got: {matrices}")
        rows = tf.reshape(matrices, [-1, 9])
        return (rows / rows[:, 8:9])[:, :8]


def _make_batch(images):
    """Several images, of one or several."""
    if images.dtype.base_dtype not in _DTYPES:
        raise TypeError(f"Invalid dtype {images.dtype}.")
    rank = images.shape.rank
    if rank is None:
        raise TypeError("image_or_images rank must be statically known")
    if rank not in (2, 3, 4):
        raise TypeError("Images should have rank between 2 and 4.")
    if rank == 2:
        return images[None, :, :, None]
    return images[None] if rank == 3 else images


def _take_from_batch(batch, given):
    """What was given, of the batch that it was made."""
    if given.shape.rank == 2:
        return batch[0, :, :, 0]
    return batch[0] if given.shape.rank == 3 else batch
