import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withholdText } from './withheld-fields.js';

const VALUE = 'zirconflorin';
const secrets = fc.oneof(
  fc.constantFrom(VALUE, `x "${VALUE}`, '}', ']', ',', '\\'),
  fc.array(fc.constantFrom(VALUE, '[{'), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('p', ']'), fc.constantFrom(VALUE, 1, null)),
);
const isOfPay = (name: string): boolean => name.startsWith('pay');
const records = fc
  .dictionary(fc.constantFrom('pay', 'a', 'pay.base', 'name', 'b'), secrets, { maxKeys: 5 })
  .map((record) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, isOfPay(name) ? value : 'kept'])),
  );

test.each(['a list', 'lines'])('records of JSON stay valid, as long, and clean: %s', (form) => {
  const isLines = form === 'lines';
  const lists = fc.array(records, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(lists, fc.constantFrom(undefined, 2), (list, indent) => {
      const text = isLines
        ? list.map((record) => JSON.stringify(record)).join('\n')
        : JSON.stringify(list, null, indent);
      const left = withholdText(text, ['pay'], { isConverted: false, isLines })?.text ?? text;
      expect(left).toHaveLength(text.length);
      expect(left).not.toContain(VALUE);
      expect(withholdText(left, ['pay'], { isConverted: true, isLines })).toBeUndefined();
      if (left.trim() === '') return;
      const kept: unknown = JSON.parse(isLines ? `[${left.split('\n').join(',')}]` : left);
      const wanted = list.map((record) => Object.entries(record).filter(([name]) => !isOfPay(name)));
      expect(kept).toEqual(wanted.map((entries) => Object.fromEntries(entries)));
    }),
  );
});
