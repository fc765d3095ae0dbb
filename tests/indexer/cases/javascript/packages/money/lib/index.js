/** Cents as text. */
exports.format = function (cents) { return String(cents); };
function Money(cents) { this.cents = cents; }
Money.prototype.add = function (other) { return other; };
module.exports.Money = Money;
