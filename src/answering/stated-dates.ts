const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
export const MONTH = `(${MONTHS.join('|')}|${MONTHS.map((name) => name.slice(0, 3)).join('|')}|Sept)\\b\\.?`;
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?:,? (\d{4}))?`;

const ISO = /(?<![\w.-])(\d{4})-([01]\d)-([0-3]\d)(?:T(?=\d\d:)|(?![\w-]|\.\w))/g;
const IN_DIGITS = /(?<![\w./-])(\d{1,2})([./])(\d{1,2})\2((?:19|20)\d\d)(?![\w/-]|\.\w)/g;
const BY_MONTH = new RegExp(String.raw`\b${MONTH} (?:the )?${DAY}\b(?!:\d|\.\d|%)${YEAR}\b`, 'g');
const BY_DAY = new RegExp(String.raw`\b${DAY}(?: of)? ${MONTH}${YEAR}`, 'g');

const fullName = (month: string): string =>
  MONTHS.find((name) => name.startsWith(month.slice(0, 3))) ?? month;

/** A text with its dates in one form: `2026-05-01`, `May 1st, 2026` and `1 May 2026` are the last of these. Linear in its length. */
export function withPlainDates(text: string): string {
  return text
    .replace(ISO, (date, year: string, month: string, day: string) => {
      const name = MONTHS[Number(month) - 1];
      return name === undefined ? date : `${plainDate(day, name, year)}${date.endsWith('T') ? ' ' : ''}`;
    })
    .replace(IN_DIGITS, (date, first: string, mark: string, second: string, year: string) => {
      const [day, month] = Number(second) > MONTHS.length ? [second, first] : [first, second];
      const name = MONTHS[Number(month) - 1];
      const isPlain = name !== undefined && (mark === '.' || Number(day) > MONTHS.length);
      // Of 03/07 nobody knows which is the month: it stays one number.
      return isPlain ? plainDate(day, name, year) : date.replaceAll('/', '.');
    })
    .replace(BY_MONTH, (_, month: string, day: string, year?: string) => plainDate(day, month, year))
    .replace(BY_DAY, (_, day: string, month: string, year?: string) => plainDate(day, month, year));
}

const plainDate = (day: string, month: string, year = ''): string =>
  `${Number(day)} ${fullName(month)} ${year}`.trim();
