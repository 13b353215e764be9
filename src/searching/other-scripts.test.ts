import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

/** A page of each script, a word of it, and words of which no page tells: "stock options", "car insurance", in that language. */
const SCRIPTS = {
  zh: ['# 食堂公告\n\n食堂每天中午十一点半开门。周五供应鱼。', '食堂', '股票期权'],
  ja: ['# サーバ監視\n\nログは三十日間保管する。コンピュータの貸出は総務部へ。', 'サーバ', '株式報酬'],
  ko: ['# 휴가 규정\n\n연차휴가는 최소 일주일 전에 신청해야 합니다.', '연차휴가', '주식매수선택권'],
  th: ['# โรงอาหาร\n\nโรงอาหารเปิดเวลาเจ็ดโมงเช้า และขายข้าวต้ม', 'โรงอาหาร', 'สิทธิซื้อหุ้น'],
  ru: ['# Столовая\n\nСтоловая открывается в семь утра, в пятницу бывает рыба.', 'столовая', 'опционы акций'],
  el: ['# Κυλικείο\n\nΤο κυλικείο ανοίγει στις επτά το πρωί.', 'κυλικείο', 'δικαιώματα μετοχών'],
  ar: ['# المطعم\n\nيفتح المطعم في السابعة صباحا ويقدم السمك يوم الجمعة.', 'المطعم', 'خيارات الأسهم'],
  he: ['# חדר אוכל\n\nחדר האוכל נפתח בשבע בבוקר.', 'בבוקר', 'אופציות למניות'],
  hi: ['# भोजनालय\n\nभोजनालय सुबह सात बजे खुलता है।', 'भोजनालय', 'शेयर विकल्प'],
  ka: ['# სასადილო\n\nსასადილო იხსნება დილის შვიდ საათზე.', 'სასადილო', 'აქციების ოფცია'],
  hy: ['# Ճաշարան\n\nՃաշարանը բացվում է առավոտյան յոթին։', 'ճաշարան', 'բաժնետոմսեր'],
  am: ['# ምግብ ቤት\n\nምግብ ቤቱ ጠዋት ሰባት ሰዓት ይከፈታል።', 'ጠዋት', 'የአክሲዮን'],
} as const;
const NAMES = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

const ENGLISH = [
  'The canteen opens at seven in the morning; on Fridays there is fish.',
  'Annual leave is asked for a week before.',
  'Audit logs are kept for thirty days.',
  'Helmets are worn in the hall at all times.',
  'Nightly backups of the database are kept for a month.',
  'Cars of the company are insured by the finance team.',
];

let engine: Engine;
const folder = mkdtempSync(join(tmpdir(), 'scripts-'));
beforeAll(async () => {
  engine = await createEngine({ config: { provider: 'memory' }, dataDir: folder });
  await engine.push([
    ...NAMES.map((id) => ({ id, text: SCRIPTS[id][0] })),
    ...ENGLISH.map((text, i) => ({ id: `en-${i}`, text })),
  ]);
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const found = async (text: string, options = {}) => {
  const response = await engine.search({ text, options: { topK: 20, explainScore: true, ...options } });
  return { ...response, ids: response.results.map(({ metadata }) => metadata.source) };
};

describe('a query in another language of the same script', () => {
  it.each(['Wie lange werden Sicherungen aufbewahrt?', '¿Cuánto se guardan las copias?'])(
    'says what reads it where nothing matches well: %s',
    async (query) => {
      const { noticeKinds, notices } = await found(query);
      expect(noticeKinds).toContain('language-unread');
      expect(notices.join()).toContain('docs/better-model.md');
    },
  );

  it.each(['How long are backups kept?', 'what does der mean', 'when is the deploy, EST?'])(
    'is no query in English: %s',
    async (query) => {
      const { noticeKinds } = await found(query);
      expect(noticeKinds).not.toContain('language-unread');
    },
  );

  it('is understood by its words where they stand in the text', async () => {
    await engine.push([{ id: 'de', text: 'Sicherungen der Datenbank werden einen Monat lang aufbewahrt.' }]);
    const { noticeKinds, ids } = await found('Wie lange werden Sicherungen der Datenbank aufbewahrt?');
    expect(ids[0]).toBe('de');
    expect(noticeKinds).not.toContain('language-unread');
    await engine.delete(['de']);
  });
});

describe.each(NAMES)('a query in a script that the built-in model does not read (%s)', (name) => {
  const [, word, elsewhere] = SCRIPTS[name];

  it.each(['hybrid', 'dense', 'graph'] as const)(
    'takes no part in the lane of vectors, and says so (%s)',
    async (mode) => {
      const { lanes, results, notices, noticeKinds } = await found(elsewhere, { mode });
      expect(lanes.find(({ lane }) => lane === 'dense')).toMatchObject({ status: 'off', candidates: 0 });
      expect(noticeKinds).toContain('script-unread');
      expect(notices.join()).toContain('does not read the script of this query');
      for (const { score, explanation } of results) {
        expect(score).toBeLessThan(0.5);
        expect(explanation?.semanticScore).toBeUndefined();
      }
    },
  );

  it('finds the page by a word of it, above all others', async () => {
    const { ids } = await found(word);
    expect(ids[0]).toBe(name);
  });

  it('is not answered from a page that tells of something else', async () => {
    const { outcome } = await engine.ask({ question: `${elsewhere}?` });
    expect(outcome).not.toBe('answer');
  });

  it('is answered from the page that holds its words', async () => {
    const { outcome, sources } = await engine.ask({ question: SCRIPTS[name][0].split('\n').at(-1) ?? '' });
    expect([outcome, sources[0]?.source]).toEqual(['answer', name]);
  });

  it('does not share what the index keeps of questions that mean the same', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'scripts-cache-'));
    const retrieval = { cache: { enabled: true, semantic: { enabled: true, threshold: 0.5 } } };
    const caching = await createEngine({ config: { provider: 'memory', retrieval }, dataDir });
    try {
      await caching.push([{ id: name, text: SCRIPTS[name][0] }]);
      await caching.search(word);
      expect((await caching.search(elsewhere)).semanticCache).toBeUndefined();
    } finally {
      await caching.close();
      rmSync(dataDir, { recursive: true });
    }
  });
});

it.each([
  '자동차 보험은 누가 갱신해야 합니까?',
  '회사 차량은 누가 세차해야 합니까?',
  '自動車保険は誰が更新しますか',
  '株式報酬はどこで確認する',
  'ใครเป็นคนต่อประกันรถยนต์และขายหุ้น',
  '谁负责续签汽车保险？',
  'кто продлевает страховку автомобиля в пятницу?',
])(
  'a question that shares the endings of words with a page is not answered from it: %s',
  async (question) => {
    const { outcome, confidence } = await engine.ask({ question });
    expect(outcome).not.toBe('answer');
    expect(confidence).toBeLessThan(0.2);
  },
);

describe('a passage in such a script', () => {
  it.each([
    'when does the canteen open?',
    'stock options of employees',
    'kubernetes',
    'a',
    'sourdough bread recipe',
  ])('is not found by its vector: %s', async (query) => {
    for (const mode of ['hybrid', 'dense'] as const)
      expect((await found(query, { mode })).ids.filter((id) => !id.startsWith('en-'))).toEqual([]);
  });

  it('is found by the words that it shares with a query, and the response says how', async () => {
    await engine.push([
      { id: 'mixed', text: '# 升级\n\n升级 kubectl 之前必须先备份生产数据库，回滚窗口为四十八小时。' },
    ]);
    try {
      const { ids, results, noticeKinds, notices } = await found('how do I upgrade kubectl?');
      expect(ids[0]).toBe('mixed');
      expect(results[0]?.explanation?.semanticScore).toBeUndefined();
      expect(noticeKinds).toContain('script-unread');
      expect(notices.join()).toMatch(/passages? (is|are) in a script that the embedding model does not read/);
    } finally {
      await engine.delete(['mixed']);
    }
  });
});

describe.each(NAMES)('a query that is partly in a script that the model does not read (%s)', (name) => {
  it.each(['audit', 'canteen', 'helmets', 'backups'])(
    'finds the page by its word among the first, beside %s, with the reranker or without it',
    async (english) => {
      for (const rerank of [true, false])
        expect((await found(`${english} ${SCRIPTS[name][1]}`, { rerank })).ids.slice(0, 2)).toContain(name);
    },
  );
});

describe('a query without a letter or a digit', () => {
  it.each(['???', '…', '-- =', '🚀', '( )', '。。。', '؟'])(
    '%s: there is nothing to search for',
    async (query) => {
      for (const mode of ['hybrid', 'dense', 'lexical', 'graph'] as const) {
        const { results, notices, noticeKinds } = await found(query, { mode });
        expect(results).toEqual([]);
        expect(noticeKinds).toContain('query-wordless');
        expect(notices.join()).toContain('There is nothing to search for');
      }
      const { outcome, noticeKinds } = await engine.ask({ question: query });
      expect([outcome, noticeKinds.includes('query-wordless')]).toEqual(['not-found', true]);
    },
  );
});

it('English is read as before, and nothing is said of it', async () => {
  const { ids, noticeKinds, lanes } = await found('when does the canteen open?', { topK: 3 });
  expect([ids[0], noticeKinds]).toEqual(['en-0', []]);
  expect(lanes.find(({ lane }) => lane === 'dense')?.status).toBe('ran');
});
