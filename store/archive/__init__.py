"""What is known in one file: written from SQL, checked, and taken over into SQL; passages are made anew."""
