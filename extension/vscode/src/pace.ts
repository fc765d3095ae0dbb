// How long to wait after a key before the server is asked: not at all while answers come within the frame of a
// keystroke, else about as long as one takes, so that a burst of keys costs one request. Pure.

const AT_ONCE_MS = 30; // answers that need no waiting
const LONGEST_WAIT_MS = 150;
const WEIGHT = 0.3; // of the newest answer

export class Pace {
  private answer_ = 0; // a running mean, ms

  answered(ms: number): void {
    this.answer_ = this.answer_ === 0 ? ms : (1 - WEIGHT) * this.answer_ + WEIGHT * ms;
  }

  get waitMs(): number {
    return this.answer_ <= AT_ONCE_MS ? 0 : Math.min(this.answer_, LONGEST_WAIT_MS);
  }
}
