/** Numbers that are written out. "One" stands for too many other things. */
const WRITTEN: Readonly<Record<string, number>> = {
  zero: 0,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
  hundred: 100,
  thousand: 1000,
  twice: 2,
};

/** The value of a number as it is written; undefined for what is none. Hours with minutes count in hours. */
export function numberValue(word: string): number | undefined {
  const written = Object.hasOwn(WRITTEN, word) ? WRITTEN[word] : undefined;
  if (written !== undefined) return written;
  const digits = word.replace(/^[$€£]/, '').replaceAll(',', '');
  const time = /^(\d{1,2}):(\d\d)$/.exec(digits);
  if (time !== null) return Number(time[1]) + Number(time[2]) / 60;
  return /^\d+(?:\.\d+)?$/.test(digits) ? Number(digits) : undefined;
}
