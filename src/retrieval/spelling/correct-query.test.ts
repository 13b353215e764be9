import { describe, expect, it } from 'vitest';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import { correctQuery } from './correct-query.js';
import type { ReadableWords } from './readable-words.js';

const TEXTS = [
  'Continuous integration builds every change. The pipeline runs the tests, and the deployment follows.',
  'A pipeline is configured in one file. Ask the security team about the configuration of secrets.',
  'Kubernetes schedules the containers. Scale the replicas before the release; colours are configured too.',
  'Which errors can be retried? The gateway retries them with a growing delay, as the policy says.',
];

const LANGUAGE = new Set(['reach', 'scala', 'flutter', 'mop', 'kotlin', 'integration', 'continuous']);

function wordsOf(texts: readonly string[]): ReadableWords {
  const terms = texts.map((text) => new Set(analyzeText(text)));
  return {
    held: async (wanted) => new Set(wanted.filter((term) => terms.some((held) => held.has(term)))),
    textsWith: async (wanted) => texts.filter((_, i) => wanted.some((term) => terms[i]?.has(term))),
    count: async (term) => terms.filter((held) => held.has(term)).length,
  };
}

const correct = async (query: string, texts: readonly string[] = TEXTS): Promise<string | undefined> =>
  (await correctQuery(query, { words: wordsOf(texts), loadLanguage: async () => LANGUAGE }))?.searchedFor;

it('in what was typed alone, not in a stack trace', async () => {
  const trace = 'PipelineError: piepline broke\n    at run (/srv/run.js:1:2)\n    at main (/srv/main.js:3:4)';
  expect(await correct('piepline broke')).toBe('pipeline broke');
  expect(await correct(trace)).toBeUndefined();
});

describe('mistyped words are put right', () => {
  it.each([
    ['continuos integraton', 'continuous integration'],
    ['how is the piepline confgured?', 'how is the pipeline configured?'],
    ['Wich error is retryed, and how does the gatewya wait?', undefined],
    ['Continuos builds', 'Continuous builds'],
    ['does Kuberntes scale', 'does Kubernetes scale'],
    ['secruity-team', 'security-team'],
    ['is the deploymnet safe?', 'is the deployment safe?'],
  ])('%s', async (typed, meant) => {
    if (meant !== undefined) expect(await correct(typed)).toBe(meant);
    else expect(await correct(typed)).toContain('gateway');
  });

  it('no word that is one of the language with an ending, though passages hold its halves', async () => {
    const texts = ['Customers reach the gateway.', 'The agent is able to restart itself.'];
    expect(await correct('is the gateway reachable by customers', texts)).toBeUndefined();
  });

  it('says which', async () => {
    const correction = await correctQuery('Continuos integration of the piepline', {
      words: wordsOf(TEXTS),
      loadLanguage: async () => LANGUAGE,
    });
    expect(correction?.words).toEqual([
      { typed: 'Continuos', used: 'Continuous' },
      { typed: 'piepline', used: 'pipeline' },
    ]);
  });

  it('takes the more frequent of two words that are as near', async () => {
    const texts = ['The parser reads it.', 'The parsec is a length.', 'A parser is fast.', 'Our parser.'];
    expect(await correct('parsew', texts)).toBe('parser');
  });
});

describe('left as they are', () => {
  it.each([
    ['how is C++ parsed?', 'The parser reads it. Our parser is fast.'],
    ['who sampled the water', 'The sampler is in the hall.'],
    ['which pages are cached', 'The cacher keeps pages.'],
    ['is it formatting pages', 'The formatter is quick. Formatters are parts.'],
    ['the linting step', 'Our linter reports faults.'],
    ['the sorter of lists', 'Lists are sorted.'],
  ])('other forms of a word that passages hold: %s', async (query, text) => {
    expect(await correct(query, [text, 'How are pages, water, lists and the step done?'])).toBeUndefined();
  });

  it.each([
    [
      'every word that a passage holds, in whatever form',
      'continuous deployments with secret configurations',
    ],
    ['quoted words', 'what is a "continuos integraton"'],
    ['words between backticks and typographic quotes', 'run `piepline` or “piepline”'],
    ['identifiers', 'getPiepline pipeline_confg kubernetes/piepline.yaml --piepline PIEPLINE-12'],
    ['words in capitals, with digits or capitals inside', 'PIEPLINE piepline2 piepLine'],
    ['short words', 'sclae teh tsts'],
    ['words of the language that no passage holds', 'scala flutter moping mopping'],
    ['names near a word that is none', 'is there support for Releaso?'],
    ['what is near nothing', 'ansible zookeeper'],
    ['questions in another language', 'wie wird die Kofiguration der Pipelime von uns gemacht'],
    ['words of another language, near one by chance', 'Worum geht es bei dieser Pipeline'],
    ['a first letter that is far from the key', 'kipeline'],
    ['scripts without alphabets', '継続的インテグレーション'],
    ['a query of grammar alone', 'which of these are those'],
  ])('%s', async (_what, query) => {
    expect(await correct(query)).toBeUndefined();
  });

  it('grammar of another language that is near a word', async () => {
    const texts = [
      'The forum has a queen.',
      'A forum. The forum of the queen and the forum.',
      'Forum, queen.',
    ];
    for (const query of ['Worum geht es im Text', 'Worum', 'quién controla la empresa'])
      expect(await correct(query, texts)).toBeUndefined();
    expect(await correct('was steht im froum', texts)).toBe('was steht im forum');
  });

  it('all words, where the asker may read nothing', async () => {
    expect(await correct('continuos integraton', [])).toBeUndefined();
  });
});
