//! A hostile document costs its parser process bounded memory and time, and the service nothing.
