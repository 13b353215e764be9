import { expect, test } from 'vitest';
import { inReadingOrder, type PageItem } from './columns.js';

const LETTER = 6;
const run = (str: string, x: number, y: number, hasEOL: boolean): PageItem => ({
  str,
  hasEOL,
  transform: [10, 0, 0, 10, x, y],
  width: str.length * LETTER,
  height: 10,
});
/** A row of the page: texts at their places. */
const row = (y: number, ...cells: readonly (readonly [x: number, text: string])[]): PageItem[] =>
  cells.flatMap(([x, text], index) => [
    ...(index === 0 ? [] : [run(' ', x - LETTER, y, false)]),
    run(text, x, y, index === cells.length - 1),
  ]);
/** Columns whose lines stand side by side, row by row. */
const rows = (columns: readonly (readonly string[])[], places: readonly number[], drop = 0): PageItem[] =>
  (columns[0] ?? []).flatMap((_, line) =>
    row(
      700 - line * 14,
      ...columns.flatMap((column, at): [number, string][] => {
        const text = column[line];
        return text === undefined ? [] : [[places[at] ?? 0, text]];
      }),
    ).map((item, index) =>
      index === 0
        ? item
        : { ...item, transform: [10, 0, 0, 10, item.transform[4] ?? 0, (item.transform[5] ?? 0) - drop] },
    ),
  );
const textOf = (items: readonly PageItem[]): string[] =>
  inReadingOrder(items)
    .map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str))
    .join('')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '');

const LEFT = [
  'Cold stores must be inspected',
  'each quarter by the warden,',
  'who signs the green ledger',
  'in the lobby. Missing names',
  'are told to the board.',
];
const RIGHT = [
  'Forklift drivers hold a card',
  'that expires after five years.',
  'Renewal takes place in the',
  'training yard on the second',
  'Thursday, and costs nothing.',
];
const THIRD = [
  'Visitors wear a yellow vest',
  'which the porter hands out',
  'and takes back at the gate.',
  'Children are not let in',
  'without a written word.',
];

test('two columns that stand row by row are read one after the other', () => {
  expect(textOf(rows([LEFT, RIGHT], [50, 320]))).toEqual([...LEFT, ...RIGHT]);
});

test('three columns too', () => {
  expect(textOf(rows([LEFT, RIGHT, THIRD], [50, 280, 510]))).toEqual([...LEFT, ...RIGHT, ...THIRD]);
});

test('what reaches over both columns stays above and below them', () => {
  const page = [
    ...row(760, [50, 'Depot handbook, which all of the staff has to read once a year']),
    ...rows([LEFT, RIGHT], [50, 320]),
    ...row(300, [50, 'The board, in May of the year, for all of the depots that it has']),
  ];
  const text = textOf(page);
  expect(text.slice(1, -1)).toEqual([...LEFT, ...RIGHT]);
  expect(text[0]).toContain('handbook');
});

test('columns of which one ends before the other', () => {
  expect(textOf(rows([LEFT, RIGHT.slice(0, 4)], [50, 320]))).toEqual([...LEFT, ...RIGHT.slice(0, 4)]);
});

test('columns whose lines are not quite as high as each other', () => {
  expect(textOf(rows([LEFT, RIGHT], [50, 320], 3))).toEqual([...LEFT, ...RIGHT]);
});

test('columns with an indented line', () => {
  const page = rows([LEFT, RIGHT], [50, 320]).map((item) =>
    item.str === 'Renewal takes place in the'
      ? { ...item, transform: [10, 0, 0, 10, 340, item.transform[5] ?? 0] }
      : item,
  );
  expect(textOf(page)).toEqual([...LEFT, ...RIGHT]);
});

test('columns in a script without small letters', () => {
  const left = [
    '冷却水の交換は六か月ごとに',
    '行う。連絡先は運用部であり',
    '夜間は守衛に知らせること。',
    '記録は台帳に残し、五年の間',
    '保管する。',
  ];
  const right = [
    '非常口は倉庫の北側にある。',
    '通路に物を置いてはならない',
    'ので、毎朝確認すること。扉',
    'は内側から開けることができ',
    'る。',
  ];
  expect(textOf(rows([left, right], [50, 320]))).toEqual([...left, ...right]);
});

test('columns that are read from the right come in that order', () => {
  const left = [
    'السائقون يحملون رخصة سارية',
    'تنتهي بعد خمس سنوات كاملة',
    'والتجديد في ساحة التدريب',
    'يوم الخميس الثاني من الشهر',
  ];
  const right = [
    'يجب فحص المخازن الباردة كل',
    'ربع سنة من قبل مأمور السلامة',
    'الذي يوقع السجل الأخضر في',
    'البهو ويبلغ مجلس الادارة به',
  ];
  expect(textOf(rows([left, right], [50, 320]))[0]).toBe(right[0]);
});

test('columns that are drawn one after the other stay so', () => {
  const page = [...rows([LEFT], [50]), ...rows([RIGHT], [320])];
  expect(textOf(page)).toEqual([...LEFT, ...RIGHT]);
});

test('a column below another part of the page does not take what follows', () => {
  const page = [
    ...rows([LEFT, RIGHT], [50, 320]),
    ...row(400, [50, 'Notes that stand below both of the columns, over the whole page']),
    ...rows([THIRD], [50]),
  ];
  expect(textOf(page).slice(-5)).toEqual(THIRD);
});

test.each([
  [
    'figures',
    [
      ['Class A', 'Class B', 'Class C', 'Class D', 'Class E'],
      ['110.00', '127.00', '144.00', '161.00', '178.00'],
      ['60.50', '69.50', '78.50', '87.50', '96.50'],
    ],
  ],
  [
    'a contents page',
    [
      [
        'The first chapter of the book',
        'The second chapter of it',
        'The third chapter of all',
        'The fourth and the last one',
        'The index of names',
      ],
      ['1', '17', '45', '88', '120'],
    ],
  ],
  [
    'names and values',
    [
      ['Name', 'Street', 'Town', 'Country', 'Telephone'],
      ['Madame Ruelle', 'Rue de la Paix', 'Lyon', 'France', 'at the office'],
    ],
  ],
  [
    'terms and short texts',
    [
      ['Berth', 'Buoy', 'Cleat', 'Fender', 'Hawser'],
      [
        'A place for a ship in a port',
        'A thing that floats and marks',
        'A fitting for a rope or line',
        'A cushion for a ship at a pier',
        'A thick rope to tow with',
      ],
    ],
  ],
  [
    'titles on both sides',
    [
      ['Store Manager of North', 'Store Manager of South', 'Store Manager of West', 'Store Manager of East'],
      ['Has keys for Gate One', 'Has keys for Gate Two', 'Has keys for Gate Five', 'Has keys for Gate Six'],
    ],
  ],
])('a table stays row by row: %s', (_, columns) => {
  const expected = (columns[0] ?? []).map((_cell, line) => columns.map((column) => column[line]).join(' '));
  expect(textOf(rows(columns, [50, 320, 450]))).toEqual(expected);
});

test('two lines beside each other are not columns', () => {
  expect(textOf(rows([LEFT.slice(0, 2), RIGHT.slice(0, 2)], [50, 320]))).toEqual([
    `${LEFT[0]} ${RIGHT[0]}`,
    `${LEFT[1]} ${RIGHT[1]}`,
  ]);
});

test('many cells take time in proportion', () => {
  const cells = Array.from({ length: 50_000 }, (_, line) => row(700 - line, [50, 'a'], [320, 'b'])).flat();
  expect(inReadingOrder(cells)).toHaveLength(cells.length);
});
