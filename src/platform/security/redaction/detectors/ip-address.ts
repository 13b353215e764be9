import { isIPv4, isIPv6 } from 'node:net';
import { type Detection, textBefore } from '../detection.js';
import { characterClass } from '../long-words.js';

const IPV4 = /\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)/g;
/** What stands before an address: no other part of a word, a number or a path. */
const PART_BEFORE = /[\w.-]$|\w\/$/;
const IPV6 =
  /(?:(?<![\w:.])|(?<=\b(?:ip6|ipv6|inet6|host|addr|client|from|src|dst|ip):))[0-9a-f]{0,4}:(?:[0-9a-f:]{0,39}:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{1,39})(?!\w)/gi;
/** Global unicast (RFC 4291), unique local (RFC 4193), translated and mapped IPv4 addresses. */
const IPV6_OF_A_HOST = /^(?:[23][0-9a-f]{3}|f[cd][0-9a-f]{2}|64:ff9b:|::ffff:\d)/i;
/** Eight pairs of hexadecimal digits are a World Wide Name, not an address. */
const WORLD_WIDE_NAME = /^(?:[0-9a-f]{2}:){7}[0-9a-f]{2}$/i;

const VERSION_BEFORE =
  /(?:\b(?:v|ver|versions?|versión|versión|versione|wersja|release[ds]?|rel|build|firmware|fw|section|sections|sect?|§|chapter|chap|clause|paragraph|abschnitt|kapitel|ziffer|rev|revision|oid|upgrade[ds]?|updated?|hotfix|patch|bug|bad|good|sdk|driver|tag|step|article|artikel|sección|capítulo|chapitre|update|upgrade to|downgrade[ds]?)\b|版本|版|章节|固件|升级)[\s:.="'`#]*(?:(?:is|to|from|of|auf|von|à|de|nr|no)\b[\s.]*)?$/iu;
/** `from 1.2.3.4 to`, of which the address is the other end. */
const OTHER_VERSION =
  /\s(?:from\s)?\d{1,3}(?:\.\d{1,3}){2,3}\s?(?:to|->|→|auf|nach|à|a|na|naar|until|and|und|et|y)\s$/;
const HOST_BEFORE =
  /\b(?:ip|ipv4|ips|addr|address|addresses|adresse|dirección|host|hosts|server|src|dst|ping|dig|nslookup|traceroute|route|subnet|bind|listen|gateway|gw|dns|resolver|nameserver|ssh|telnet|curl|client|nat|blocked|banned|peer|remote|proxy|node|via|from|nmap|scan|ip4|inet|endpoint|lastlogin\w*|x-forwarded-for|x-real-ip|router|vpn|whois|interface|iface|network)\b|地址|主机|服务器|来源/iu;
const HOST_AFTER = /^(?::\d{2,5}\b|\/\d{1,2}\b(?!\/)|#\d{2,5}\b)/;
const AT_OR_URL = /(?:@|:\/\/|\[)$/;

/** Addresses that name no machine of anybody: loopback, link-local, unspecified, broadcast. */
const NOBODY = /^(?:0|127|255)\.|^169\.254\./;

/** Two colons with at most four hexadecimal digits between them, as every IPv6 address has. */
const COLONS = /:[0-9a-f]{0,4}:/gi;
/** No address with a word such as `client:` before it is longer. */
const MAX_ADDRESS = 60;
const ADDRESS_CHARACTER = characterClass(/[\w:.]/);

/** IPv4 and IPv6 addresses of hosts. Four-part versions look like the former: neighbouring words and the size of the parts decide. */
export function* detectIpAddresses(text: string): Generator<Detection> {
  yield* detectIpv6(text);
  for (const { index, 0: address } of text.matchAll(IPV4)) {
    const end = index + address.length;
    if (PART_BEFORE.test(text.slice(Math.max(0, index - 2), index)) || !isIPv4(address) || isNobody(address))
      continue;
    if (isHost(address, textBefore(text, index), text.slice(end, end + 8)))
      yield { start: index, end, type: 'IP_ADDRESS' };
  }
}

function* detectIpv6(text: string): Generator<Detection> {
  const belongs = (at: number): boolean => ADDRESS_CHARACTER[text.charCodeAt(at)] === 1;
  let from = 0;
  for (const { index: colons } of text.matchAll(COLONS)) {
    if (colons < from) continue;
    let start = colons;
    while (start > Math.max(from, colons - MAX_ADDRESS) && belongs(start - 1)) start -= 1;
    let end = colons;
    while (end < colons + MAX_ADDRESS && belongs(end)) end += 1;
    for (const { index, 0: candidate } of text.slice(start, end).matchAll(IPV6)) {
      const address = candidate.replace(/(?<!:):$/, '');
      const isAddress = isIPv6(address) && IPV6_OF_A_HOST.test(address) && !WORLD_WIDE_NAME.test(address);
      if (isAddress && !isNobody(address.replace(/^::ffff:/i, '')))
        yield { start: start + index, end: start + index + address.length, type: 'IP_ADDRESS' };
    }
    from = end;
  }
}

const isNobody = (address: string): boolean => NOBODY.test(address);

function isHost(address: string, before: string, after: string): boolean {
  if (HOST_AFTER.test(after) || AT_OR_URL.test(before)) return true;
  if (VERSION_BEFORE.test(before.replace(OTHER_VERSION, ''))) return false;
  return looksAllocated(address) || HOST_BEFORE.test(before.slice(-40));
}

/** Parts of a version seldom reach a hundred; of addresses, one mostly does. */
const looksAllocated = (address: string): boolean => {
  const parts = address.split('.').map(Number);
  return (parts[0] ?? 0) >= 10 && Math.max(...parts) >= 100;
};
