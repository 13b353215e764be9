import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeText } from '../../tests/fixtures/documents/encode-text.js';
import { RAGError } from '../core/errors.js';
import { checkText, decodeText } from './decode-text.js';

const bytes = (...values: readonly (number | string)[]): Uint8Array =>
  Buffer.concat(values.map((value) => (typeof value === 'number' ? Buffer.of(value) : Buffer.from(value))));

const failure = (content: Uint8Array | string): RAGError => {
  try {
    decodeText(content, 'a.md');
  } catch (error) {
    if (RAGError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('It was decoded.');
};

describe('decodeText', () => {
  it('reads UTF-8 and keeps line ends as they are', () => {
    expect(decodeText(bytes('a\r\nb\rc\nä 日本 👍'), 'a.md')).toEqual({
      text: 'a\r\nb\rc\nä 日本 👍',
      warnings: [],
    });
  });

  it('removes the byte order mark of bytes and of strings', () => {
    expect(decodeText(bytes(0xef, 0xbb, 0xbf, '# A'), 'a.md').text).toBe('# A');
    expect(decodeText('\uFEFF# A', 'a.md').text).toBe('# A');
  });

  it('reads UTF-16 where a byte order mark says so', () => {
    const text = 'Größe 👍';
    const littleEndian = Buffer.from(`\uFEFF${text}`, 'utf16le');
    expect(decodeText(littleEndian, 'a.md').text).toBe(text);
    expect(decodeText(Buffer.from(littleEndian).swap16(), 'a.md').text).toBe(text);
  });

  it('reads UTF-32 where a byte order mark says so', () => {
    const units = [0xfeff, ...Array.from('Größe 👍', (letter) => letter.codePointAt(0) ?? 0)];
    for (const write of ['writeUInt32LE', 'writeUInt32BE'] as const) {
      const content = Buffer.alloc(units.length * 4);
      for (const [at, unit] of units.entries()) content[write](unit, at * 4);
      expect(decodeText(content, 'a.md')).toEqual({ text: 'Größe 👍', warnings: [] });
    }
  });

  it.each([
    [
      'windows-1254',
      Buffer.from('\xddstanbul \xfeubesi, a\xe7\xfdl\xfdr. G\xfcne\xfe.', 'latin1'),
      'İstanbul şubesi, açılır. Güneş.',
    ],
    [
      'cp850',
      Buffer.from('Die Pumpe l\x84uft \x81ber Nacht bei J\x94rg. Gr\x94\xe1e 5.', 'latin1'),
      'Die Pumpe läuft über Nacht bei Jörg. Größe 5.',
    ],
    ['cp850', Buffer.from('T\x82l\x82phone \x85 c\x93t\x82', 'latin1'), 'Téléphone à côté'],
  ])('reads %s by the letters of its languages: %s', (encoding, content, text) => {
    const read = decodeText(content, 'a.txt');
    expect(read.text).toBe(text);
    expect(read.warnings).toEqual([expect.stringContaining(`Read as ${encoding}`)]);
  });

  it('takes Icelandic and quotations for what they are', () => {
    const icelandic = Buffer.from('\xdea\xf0 er n\xfdtt og g\xf3\xf0\xfdr, \xe9g \xfeakka', 'latin1');
    expect(decodeText(icelandic, 'a.txt').text).toContain('Það er nýtt');
    const quoted = Buffer.from('So \x84etwas\x94 und \x84mehr\x94 im M\xe4rz\x85', 'latin1');
    expect(decodeText(quoted, 'a.txt').text).toBe('So „etwas” und „mehr” im März…');
  });

  it('refuses binary data whatever its name', () => {
    expect(failure(bytes('PNG', 0, 1))).toMatchObject({ reason: 'DOCUMENT_NOT_TEXT' });
    expect(failure(bytes('a', 1, 2, 3, 'b')).reason).toBe('DOCUMENT_NOT_TEXT');
    const compressed = deflateRawSync(
      Buffer.from(Array.from({ length: 3_000 }, (_, i) => `${i * i}`).join()),
    );
    expect(failure(compressed).reason).toBe('DOCUMENT_NOT_TEXT');
    expect(failure(new Uint8Array(new Int16Array([1, -1, 300, 7, -9, 12]).buffer)).reason).toBe(
      'DOCUMENT_NOT_TEXT',
    );
    expect(failure(Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00])).reason).toBe(
      'DOCUMENT_INVALID_ENCODING',
    );
  });

  it('takes terminal colours for text', () => {
    expect(decodeText(bytes('\u001b[31mred\u001b[0m\tand\f'), 'a.md').text).toContain('red');
  });

  it('replaces half surrogate pairs without moving an offset, and says so', () => {
    expect(checkText('a\uD800b👍')).toEqual({
      text: 'a\uFFFDb👍',
      warnings: [expect.stringContaining('U+FFFD')],
    });
  });

  it.each([
    ['shift_jis', 'サーバーの再起動手順\n\n毎週月曜日の午前三時に自動で再起動されます。'],
    ['shift_jis', '# 部品\n\nPart 4711: 冷却水ポンプの交換は六か月ごとに行う。'],
    ['euc-jp', '冷却水の交換は六か月ごとに行う。連絡先は運用部。'],
    ['gbk', '服务器每周一凌晨三点自动重启。请联系运维部门。'],
    ['gbk', '仓库盘点由物流部负责'],
    ['big5', '伺服器每週一凌晨三點自動重新啟動。請聯絡維運部門。'],
    ['euc-kr', '서버는 매주 월요일 새벽 세 시에 자동으로 재시작됩니다.'],
    ['koi8-r', 'Сервер перезапускается каждый понедельник в три часа утра.'],
    ['koi8-r', 'Замена охлаждающей жидкости раз в полгода'],
    ['koi8-r', 'Ошибка сети'],
    ['windows-1251', '# Ошибка\n\nСети нет'],
    ['gbk', '错误'],
    ['gbk', 'int main() { /* 初始化处理 */ return 0; }\n'],
    ['shift_jis', 'エラー'],
    ['shift_jis', '品名,数量\nポンプ,3\n'],
    ['big5', '# 幫浦\n\n更換步驟'],
    ['euc-kr', '오류 메시지'],
    ['windows-1252', 'It’s Bob’s. Don’t say “never” – they’re here'],
    ['windows-1252', 'ÄNDERUNG DER ÖLPUMPE ÜBER NACHT'],
    ['windows-1252', 'São Paulo: configuração não disponível'],
    ['windows-1251', 'Сервер перезапускается каждый понедельник в три часа утра.'],
    ['windows-1252', 'Anleitung für die Größenprüfung\r\n\r\nDie Prüflehre liegt im Schrank 14.'],
    ['windows-1252', 'Le serveur est redémarré chaque lundi. L’équipe répond “tout de suite”.'],
    ['windows-1252', '/* Regler: öffnet bei 6,5 bar */\nint ventil_oeffnen(double druck);\n'],
    ['windows-1252', 'int x; // café'],
    ['windows-1252', 'Price: 5 € – “quoted”, at 20 °C ± 2'],
    ['iso-8859-2', 'Server se restartuje každé pondělí ve tři hodiny ráno. Příliš žluťoučký kůň.'],
    ['windows-1250', 'Serwer jest uruchamiany ponownie w każdy poniedziałek. Zażółć gęślą jaźń.'],
    ['windows-1253', 'Ο διακομιστής επανεκκινείται κάθε Δευτέρα στις τρεις το πρωί.'],
  ])('reads %s and says so with its certainty: %s', (encoding, text) => {
    const decoded = decodeText(encodeText(text, encoding), 'a.md');
    expect(decoded.text).toBe(text);
    expect(decoded.warnings).toEqual([expect.stringMatching(/^Read as [\w-]+, .*certainty \d+ %/)]);
  });

  it('reads a letter beyond ASCII far behind the start of a long text', () => {
    const text = `${'plain words\n'.repeat(20_000)}Größe der Prüflehre\n`;
    expect(decodeText(encodeText(text, 'windows-1252'), 'a.md').text).toBe(text);
  });

  it.each([
    ['Latin', 'Keyword plan export\r\n\r\nThe bid ceiling is 6.30 euro.'],
    ['German', 'Größe\n'],
    ['Cyrillic', 'Сервер перезапускается каждый понедельник\n'],
    ['Japanese', '冷却水の交換は六か月ごとに行う。\n連絡先は運用部。\n'],
    ['a pair of surrogates', 'Done 👍 today\n'],
    ['a letter with a lower byte of zero', 'これは一つの文書です。\n'],
    ['such letters alone', '一\n'],
    ['letters that are ASCII byte by byte', 'हिन्दी पाठ\n'],
    ['figures as wide as ideographs', '列１\u3000値２\n'],
    ['blanks of ideographs', 'タイトル\u3000本文\n'],
    ['a Latvian capital', 'Āzija un Eiropa\n'],
    ['surrogates with lower bytes of zero', 'Done 😀 today\n'],
    ['colours of a terminal', '\u001b[31mred\u001b[0m ok\n'],
  ])('reads UTF-16 without a mark: %s', (_, text) => {
    const littleEndian = Buffer.from(text, 'utf16le');
    for (const content of [littleEndian, Buffer.from(littleEndian).swap16()]) {
      const decoded = decodeText(content, 'a.md');
      expect(decoded.text).toBe(text);
      expect(decoded.warnings).toEqual([expect.stringMatching(/^Read as UTF-16[BL]E .*certainty \d+ %/)]);
    }
  });

  it('reads UTF-16 of an odd length without its last byte, and says so', () => {
    const odd = Buffer.concat([Buffer.from('Prüfung der Ventile\n', 'utf16le'), Buffer.of(0x0a)]);
    for (const content of [odd, Buffer.concat([Buffer.of(0xff, 0xfe), odd])]) {
      const { text, warnings } = decodeText(content, 'a.md');
      expect(text).toBe('Prüfung der Ventile\n');
      expect(warnings).toContainEqual(expect.stringContaining('last byte'));
    }
  });

  const source = (comment: string): string =>
    `#include <stdio.h>\nstatic int retries = 0;\n\n// ${comment}\nint open_valve(double pressure) {\n  return retries + 1;\n}\n`;
  it.each([
    ...['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5'].flatMap((encoding) => [
      [encoding, source('Счетчик попыток соединения')],
      [encoding, source('Открывает клапан')],
      [encoding, 'Функция вычисляет хэш'],
      [encoding, source('см. файл')],
      [encoding, 'Настройки сервера\n'],
    ]),
    ['windows-1251', source('Відкриває клапан і перевіряє тиск')],
    ['windows-1252', source('Öffnet das Ventil')],
    ['windows-1252', source('Contrôle de la température')],
    ['windows-1253', source('Ανοίγει τη βαλβίδα')],
    ['shift_jis', source('バルブを開く')],
    ['euc-jp', source('バルブを開く')],
    ['gbk', source('打开阀门并检查压力')],
    ...['Größe', 'España', 'Año', 'ß', 'Fußgänger', 'São Paulo', '§ 5', '20 °C', '½ Liter'].map((word) => [
      'windows-1252',
      word,
    ]),
  ])('reads few words in %s among ASCII or alone: %s', (encoding = '', text = '') => {
    expect(decodeText(encodeText(text, encoding), 'a.c').text).toBe(text);
  });

  it.each([
    ['windows-1251', '# -*- coding: cp1251 -*-\n# Ёж\n'],
    ['koi8-r', '#!/usr/bin/env python\n# vim: set fileencoding=koi8_r :\nname = "ЦЩ"\n'],
    ['iso-8859-2', '# coding: latin2\n# žluť\n'],
  ])('takes the word of a comment at the start for %s', (encoding, text) => {
    expect(decodeText(encodeText(text, encoding), 'a.py')).toEqual({ text, warnings: [] });
  });

  it('does not take the word of one that is wrong', () => {
    const text = '# coding: utf-8\n# Größe\n';
    expect(decodeText(encodeText(text, 'windows-1252'), 'a.py').text).toBe(text);
  });

  it('reads ISO-2022-JP and says so', () => {
    const content = Buffer.from('\u001b$B$3$l$O\u001b(B OK\n', 'latin1');
    expect(decodeText(content, 'a.txt')).toEqual({
      text: 'これは OK\n',
      warnings: [expect.stringContaining('ISO-2022-JP')],
    });
  });

  it.each([
    ['in short UTF-8', Buffer.from('Größe\0 open.')],
    ['in short Cyrillic UTF-8', Buffer.from('Ключ\0 значение open.')],
    ['in a few letters', Buffer.from('ab\0 open.')],
    ['in a short text of windows-1252', bytes('Pr', 0xfc, 'fung', 0, ' open.')],
    ['in UTF-8', bytes('The valve is open.', 0, ' The größte pump runs.')],
    ['at every second place', bytes('ab', 0, 'c', 0, ' and then a line of words that is not of them\n')],
    [
      'in an older encoding',
      bytes('Die Pr', 0xfc, 'flehre liegt im Schrank 14.', 0, ` ${'Weiter. '.repeat(20)}`),
    ],
    ['in text', 'The valve\0is open.'],
    ['in UTF-16 with a mark', Buffer.from('\uFEFFThe valve\0is open.', 'utf16le')],
  ])('a stray NUL is a space, and said: %s', (_, content) => {
    const { text, warnings } = decodeText(content, 'a.md');
    expect(text).not.toContain('\0');
    expect(text).toMatch(/open\.| line of words|Prüflehre/);
    expect(warnings).toContainEqual(expect.stringMatching(/^NUL characters were read as spaces: \d+\./));
  });

  it('keeps what is UTF-8 where some bytes of it are not', () => {
    const { text, warnings } = decodeText(bytes('Größe und Prüfung, gr', 0xfc, 'n'), 'a.md');
    expect(text).toBe('Größe und Prüfung, gr\uFFFDn');
    expect(warnings).toEqual(['It is UTF-8 but for 1 place, read as U+FFFD.']);
  });
});
