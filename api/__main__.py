"""``python -m api`` is ``wellread``."""

from api.cli.main import main

if __name__ == "__main__":
    main()
