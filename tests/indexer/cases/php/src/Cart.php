<?php
namespace Shop;

use Shop\Money\Price as P;
use function Shop\Money\round_up;
require_once __DIR__ . '/../lib/tools.php';
include 'Money/Price.php';

/** Adds tax. */
function tax(int $cents, float ...$rates): int { return 0; }

abstract class Cart extends Base implements \Countable {
    const LIMIT = 1;
    public int $count = 0;
    /** Adds an item. */
    public function add(string $item): static { return $this; }
    abstract protected function load(): void;
    private static function check() {}
}
interface Total { public function total(): int; }
trait Logs { public function log($line) {} }
enum State: string { case Open = 'o'; }
const VERSION = 3;
