import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROW_PRESETS } from './bug-templates.js';
import { RowTemplate } from './row-template.js';

const render = (text: string, row: Record<string, unknown>): string =>
  new RowTemplate(text, 'text').render(row);

describe('a template of rows', () => {
  it('puts values in and leaves out lines whose values are all empty', () => {
    const text = 'Bug: {id}\nRoot cause: {cause}\nBy {a} and {b}\nEnd';
    expect(render(text, { id: 7, cause: null, a: '', b: 'me' })).toBe('Bug: 7\nBy  and me\nEnd');
  });

  it('joins lists, also those that a database keeps as JSON text', () => {
    const row = { steps: ['restart', 'page me'], services: '["pay","auth"]', none: [] };
    expect(render('{steps|; }\n{services}\n{none}', row)).toBe('restart; page me\npay, auth');
  });

  it('never reads a value as a template', () => {
    expect(render('{a}', { a: '{b} {{', b: 'secret' })).toBe('{b} {{');
  });

  it('writes doubled braces as braces and refuses single ones', () => {
    expect(render('{{{a}}}', { a: 1 })).toBe('{1}');
    expect(() => new RowTemplate('{a', 'source "x", text')).toThrow(
      /source "x", text: a "\{" has no partner/,
    );
  });

  it('gives back any text whose braces are doubled', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(render(text.replaceAll(/[{}]/g, '$&$&'), {})).toBe(text);
      }),
    );
  });

  it('writes the three documents of a bug database as their design gives them', () => {
    expect(
      render(ROW_PRESETS.bug_report.text, {
        bug_id: 'BUG-001',
        severity: 'P1',
        status: 'investigating',
        original_message: 'Payments fail',
      }),
    ).toBe('Bug ID: BUG-001\nSeverity: P1\nStatus: investigating\nReport: Payments fail');
    const investigation = {
      bug_id: 'BUG-001',
      summary: 'S',
      root_cause: null,
      fix_type: 'config_change',
      confidence: 0.92,
      recommended_actions: ['a', 'b'],
      services: ['payment-api', 'auth-svc'],
      pr_url: null,
    };
    expect(render(ROW_PRESETS.investigation.text, investigation)).toBe(
      'Bug ID: BUG-001\nSummary: S\nFix Type: config_change\nConfidence: 0.92\nRecommended Actions: a; b\nServices: payment-api, auth-svc',
    );
    expect(
      render(ROW_PRESETS.finding.text, {
        bug_id: 'BUG-001',
        category: 'error_rate',
        severity: 'high',
        finding: 'F',
      }),
    ).toBe('Bug ID: BUG-001\nCategory: error_rate\nSeverity: high\nFinding: F');
  });
});
