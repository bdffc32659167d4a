"""``python -m api`` is ``wellread``."""

from api.cli import main

if __name__ == "__main__":
    main()
