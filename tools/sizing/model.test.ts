import { expect, test } from 'vitest';
import { costOf, type Measurement, needOf } from './model.js';

const small: Measurement = {
  chunks: 1_000,
  insertRate: 500,
  indexSeconds: 1,
  searchMs: 2,
  diskMiB: 10,
  memoryMiB: 100,
};
const large: Measurement = {
  chunks: 10_000,
  insertRate: 400,
  indexSeconds: 10,
  searchMs: 11,
  diskMiB: 100,
  memoryMiB: 190,
};

test('what was measured is given back as it is', () => {
  expect(needOf(10_000, [small, large], 'scan')).toEqual({
    chunks: 10_000,
    basis: 'measured',
    diskGiB: 100 / 1024,
    memoryGiB: 190 / 1024,
    writeHours: 35 / 3600,
    searchMs: 11,
  });
  expect(needOf(1_000, [small, large], 'graph')).toMatchObject({ basis: 'measured', searchMs: 2 });
});

test('disk, memory and scans follow the line through both measurements', () => {
  const need = needOf(100_000, [small, large], 'scan');
  expect(need.basis).toBe(10);
  expect(need.diskGiB * 1024).toBeCloseTo(1_000);
  expect(need.memoryGiB * 1024).toBeCloseTo(1_090);
  expect(need.searchMs).toBeCloseTo(101);
});

test('graphs are searched by the logarithm and built by n log n', () => {
  const need = needOf(100_000_000, [small, large], 'graph');
  expect(need.searchMs).toBeCloseTo(22);
  expect(need.writeHours * 3600).toBeCloseTo(100_000_000 / 400 + 10 * 10_000 * 2);
});

test('what shrinks from one measurement to the next stays, and never falls below nothing', () => {
  const shrinking = { ...large, diskMiB: 5 };
  expect(needOf(1_000_000, [small, shrinking], 'scan').diskGiB * 1024).toBeCloseTo(5);
  expect(needOf(1, [small, { ...large, memoryMiB: 5_000 }], 'scan').memoryGiB).toBe(0);
  expect(() => needOf(1, [large, small], 'scan')).toThrow('smaller');
});

test('costs are of the reader: tokens once, disk and memory for each copy', () => {
  const need = { ...needOf(10_000, [small, large], 'scan'), diskGiB: 10, memoryGiB: 2 };
  const prices = { disk: 0.5, memory: 3, tokens: 2 };
  expect(costOf(need, { prices, tokensPerChunk: 200, copies: 3 })).toEqual({ once: 4, monthly: 33 });
  expect(costOf(need, { prices, tokensPerChunk: 200 }).monthly).toBe(11);
});
