//! The cost of a query knows the size of the debates that it reads.
