import { describe, expect, it } from 'vitest';
import { isPassing, PostgresTimeout, postgresFaultOf } from './postgres-fault.js';

describe('faults of PostgreSQL', () => {
  it('are told by SQLSTATE, by the network or by the driver', () => {
    const kindOf = (code: string) => postgresFaultOf(Object.assign(new Error('x'), { code }));
    expect(
      ['08006', '57P03', 'ECONNREFUSED', '28P01', '3D000', '25006', '53100', '53200'].map(kindOf),
    ).toEqual(['unavailable', 'unavailable', 'unavailable', 'login', 'login', 'read-only', 'full', 'busy']);
    expect(postgresFaultOf(new PostgresTimeout(5))).toBe('timeout');
    expect(postgresFaultOf(new Error('Connection terminated unexpectedly'))).toBe('unavailable');
    expect(postgresFaultOf('what')).toBe('other');
  });

  it('are tried again only where that may help', () => {
    const isTried = (code: string) => isPassing(Object.assign(new Error(''), { code }));
    expect(['ECONNRESET', '57P01', '40001', '40P01'].map(isTried)).toEqual(Array(4).fill(true));
    expect(['53300', '57014', '28P01', '42P01', '53100', '22P02'].map(isTried)).toEqual(Array(6).fill(false));
    expect(isPassing(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isPassing(new Error('timeout exceeded when trying to connect'))).toBe(false);
  });
});
