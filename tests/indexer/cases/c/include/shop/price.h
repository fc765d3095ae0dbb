struct price;
