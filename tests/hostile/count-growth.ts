/**
 * Prints the texts whose steps grow faster than n log n, by target. A process of its own, because V8 counts blocks of code only
 * where it compiled them after the counting began. Started with "all", it also tries every pair of pieces.
 */
import { StepMeter } from './count-steps.js';

const [SHORT, LONG] = [1_000, 16_000];
const N_LOG_N = (LONG * Math.log(LONG)) / (SHORT * Math.log(SHORT));
/** V8 counts some blocks twice when it optimises them, up to one in eight. The square of the length is 256 times, n log n is 22. */
const TOLERANCE = 2;
/** What a text costs however short it is. */
const CONSTANT_STEPS = 5_000;

const meter = await StepMeter.start();
const { FUZZ_TARGETS } = await import('./fuzz-targets.js');
const triesPairs = process.argv[2] === 'all';

const steep: Record<string, string[]> = {};
for (const { name, pieces, wrap, use } of FUZZ_TARGETS) {
  const stepsAt = (unit: string, length: number): Promise<number> => {
    const text = wrap(unit.repeat(Math.ceil(length / unit.length)));
    return meter.stepsOf(() => use(text));
  };
  steep[name] = [];
  for (const unit of pieces.flatMap((piece) => [
    piece,
    ...(triesPairs ? pieces.map((other) => piece + other) : []),
  ])) {
    const short = await stepsAt(unit, SHORT);
    const long = await stepsAt(unit, LONG);
    if (long > TOLERANCE * N_LOG_N * (short + CONSTANT_STEPS))
      steep[name].push(`${JSON.stringify(unit)}: ${short} steps, then ${long}`);
  }
}
await meter.stop();
process.stdout.write(JSON.stringify(steep));
