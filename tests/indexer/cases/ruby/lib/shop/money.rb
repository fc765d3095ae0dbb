def cents; end
