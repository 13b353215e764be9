import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

const PAGES: Readonly<Record<string, string>> = {
  library: 'المكتبة تفتح أبوابها في الصباح.',
  report: 'يجب إرسال التقرير إلى الإدارة قبل ١٥ مايو.',
  book: 'القُرآن كتاب.',
  school: 'مدرسة كبيرة في القاهرة',
  persian: 'کتابخانه مرکزی',
  mueller: 'Herr Müller leitet die Abteilung für Gebühren.',
  soehne: 'Schroeder und Soehne liefern Moebel.',
  notice: 'Die Kündigung: eine Frist von drei Monaten gilt.',
  invoice: 'Die Rechnungsadresse steht im Vertrag.',
  safety: 'Unsere Sicherheitsrichtlinie gilt ab sofort.',
  houses: 'Strasse und Häuser',
  leave: 'Urlaub: der Antrag wird online gestellt.',
  ready: 'Отчёт готов, ёлка стоит.',
  plane: 'Самолет летит.',
  istanbul: 'İstanbul ofisi açık. Isparta şubesi kapalı.',
  light: 'IŞIK söndü.',
  katarzyna: 'Ask Katarzyna Kowalczyk about the budget.',
  johnson: 'Johnson wrote the parser. Schmidt reviews.',
  grafana: 'Grafana shows the board; Prometheus scrapes.',
  kubernetes: 'The Kubernetes cluster runs in Frankfurt.',
  office: 'The office opens at nine.',
  canteen: 'Canteen prices are on the wall.',
};

describe.each(['memory', 'libsql'] as const)('words are found however they are written: %s', (provider) => {
  let engine: Engine;
  const folder = mkdtempSync(join(tmpdir(), 'folding-'));
  beforeAll(async () => {
    engine = await createEngine({ config: { provider }, dataDir: folder });
    await engine.push(Object.entries(PAGES).map(([id, text]) => ({ id, text })));
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    // Arabic: article, forms of alif, ta marbuta, alif maqsura, vowel signs, the stretching stroke, digits.
    ['مكتبة', 'library'],
    ['المكتبه', 'library'],
    ['ابوابها', 'library'],
    ['ارسال تقرير', 'report'],
    ['بالادارة', 'report'],
    ['15 مايو', 'report'],
    ['قرآن', 'book'],
    ['القران', 'book'],
    ['والمدرسة', 'school'],
    ['مــدرسة', 'school'],
    ['كتابخانه', 'persian'],
    // German: umlauts both ways, sharp s, compounds.
    ['Mueller', 'mueller'],
    ['Muller', 'mueller'],
    ['Gebuehren', 'mueller'],
    ['Schröder', 'soehne'],
    ['Möbel', 'soehne'],
    ['Haeuser', 'houses'],
    ['Straße', 'houses'],
    ['Kündigungsfrist', 'notice'],
    ['Kuendigungsfrist', 'notice'],
    ['Adresse', 'invoice'],
    ['Rechnung', 'invoice'],
    ['Richtlinie', 'safety'],
    ['Urlaubsantrag', 'leave'],
    // Russian.
    ['отчет', 'ready'],
    ['Елка', 'ready'],
    ['самолёт', 'plane'],
    // Turkish.
    ['istanbul', 'istanbul'],
    ['ISTANBUL', 'istanbul'],
    ['ısparta', 'istanbul'],
    ['ISPARTA', 'istanbul'],
    ['acik', 'istanbul'],
    ['ışık', 'light'],
    ['isik', 'light'],
    // Names.
    ['Kowalczik', 'katarzyna'],
    ['Katarzina', 'katarzyna'],
    ['Jonson', 'johnson'],
    ['Jhonson', 'johnson'],
    ['Schmitt', 'johnson'],
    ['Grafna', 'grafana'],
    ['Promethues', 'grafana'],
    ['Kubernets', 'kubernetes'],
    ['Frankfrut', 'kubernetes'],
  ])('%s', async (text, id) => {
    const { results } = await engine.search({ text, options: { mode: 'lexical' } });
    expect(results[0]?.metadata.source).toBe(id);
  });

  it('says by which words a compound was searched for', async () => {
    const { correction } = await engine.search({ text: 'Urlaubsantrag', options: { mode: 'lexical' } });
    expect(correction?.searchedFor).toBe('Urlaubsantrag Urlaub antrag');
  });
});
