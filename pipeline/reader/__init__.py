"""Read the best hits with the encoder: how near the question is each passage, and each sentence in its passage?"""
