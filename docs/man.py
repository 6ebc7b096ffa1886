"""Write the manual pages of the command.

python docs/man.py FOLDER
"""

import sys

from printing.of_man import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
