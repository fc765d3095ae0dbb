class Shop::Other
end
