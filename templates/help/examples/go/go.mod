module example.com/license

go 1.19
