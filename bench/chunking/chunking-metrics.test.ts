import { describe, expect, it } from 'vitest';
import { precisionOmega, scoreRetrieval } from './chunking-metrics.js';

const question = (...references: readonly (readonly [number, number])[]) => ({
  question: 'q',
  corpus: 'a',
  references: references.map(([start, end]) => ({ start, end })),
});
const chunk = (start: number, end: number, corpus = 'a') => ({ corpus, start, end });

describe('scores of one question, worked by hand', () => {
  it('counts what was retrieved of a reference, and what was retrieved in vain', () => {
    // 10 of 20 reference characters, in 50 retrieved ones; 10 were missed.
    expect(scoreRetrieval(question([40, 60]), [chunk(0, 50)])).toEqual({
      recall: 10 / 20,
      precision: 10 / 50,
      iou: 10 / (50 + 10),
    });
  });

  it('counts text retrieved twice once as found and twice as retrieved', () => {
    const scores = scoreRetrieval(question([40, 60]), [chunk(30, 60), chunk(40, 70)]);
    expect(scores).toEqual({ recall: 1, precision: 20 / 60, iou: 20 / 60 });
  });

  it('counts chunks of another corpus as retrieved in vain', () => {
    const scores = scoreRetrieval(question([0, 10]), [chunk(0, 10, 'b'), chunk(0, 10)]);
    expect(scores).toEqual({ recall: 1, precision: 10 / 20, iou: 10 / 20 });
  });

  it('adds up several references', () => {
    const scores = scoreRetrieval(question([0, 10], [90, 100]), [chunk(0, 20), chunk(50, 60)]);
    expect(scores).toEqual({ recall: 10 / 20, precision: 10 / 30, iou: 10 / (30 + 10) });
  });

  it('is zero where nothing was found or retrieved', () => {
    expect(scoreRetrieval(question([0, 10]), [chunk(10, 20)])).toEqual({ recall: 0, precision: 0, iou: 0 });
    expect(scoreRetrieval(question([0, 10]), [])).toEqual({ recall: 0, precision: 0, iou: 0 });
  });
});

describe('precision-omega, worked by hand', () => {
  it('is the precision over exactly the chunks that hold a reference', () => {
    const chunks = [chunk(0, 50), chunk(50, 100), chunk(100, 150), chunk(40, 60, 'b')];
    expect(precisionOmega(question([40, 60]), chunks)).toBe(20 / 100);
  });

  it('counts overlapping chunks once, and reference text that no chunk holds as missed', () => {
    const chunks = [chunk(30, 50), chunk(40, 55)];
    expect(precisionOmega(question([40, 60]), chunks)).toBe(15 / 30);
    expect(precisionOmega(question([40, 60]), [])).toBe(0);
  });
});
