"""``python -m sapwood`` is the command line ``sapwood``."""

from .cli import main

if __name__ == "__main__":
    main()
