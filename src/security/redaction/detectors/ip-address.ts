import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { type Detection, isDigit, linesWith, matchesAmongDigits, textBefore } from '../detection.js';

const IPV4 = /(?<![\w.-]|[\w]\/)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\w-]|\.\d)/g;
const IPV6 =
  /(?:(?<![\w:.])|(?<=\b(?:ip6|ipv6|inet6|host|addr|client|from|src|dst|ip):))[0-9a-f]{0,4}:(?:[0-9a-f:]{0,39}:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{1,39})(?!\w)/gi;
/** Global unicast (RFC 4291), unique local (RFC 4193), translated and mapped IPv4 addresses. */
const IPV6_OF_A_HOST = /^(?:[23][0-9a-f]{3}|f[cd][0-9a-f]{2}|64:ff9b:|::ffff:\d)/i;
/** Eight pairs of hexadecimal digits are a World Wide Name, not an address. */
const WORLD_WIDE_NAME = /^(?:[0-9a-f]{2}:){7}[0-9a-f]{2}$/i;

const VERSION_BEFORE =
  /(?:\b(?:v|ver|versions?|versión|versión|versione|wersja|release[ds]?|rel|build|firmware|fw|section|sections|sect?|§|chapter|chap|clause|paragraph|abschnitt|kapitel|ziffer|rev|revision|oid|upgrade[ds]?|updated?|hotfix|patch|bug|bad|good|sdk|driver|tag|step|article|artikel|sección|capítulo|chapitre|update|upgrade to|downgrade[ds]?)\b|版本|版|章节|固件|升级)[\s:.="'`#]*(?:(?:is|to|from|of|auf|von|à|de|nr|no)\b[\s.]*)?$/iu;
const HOST_BEFORE =
  /\b(?:ip|ipv4|ips|addr|address|addresses|adresse|dirección|host|hosts|server|src|dst|ping|dig|nslookup|traceroute|route|subnet|bind|listen|gateway|gw|dns|resolver|nameserver|ssh|telnet|curl|client|nat|blocked|banned|peer|remote|proxy|node|via|from|nmap|scan|ip4|inet|endpoint|lastlogin\w*|x-forwarded-for|x-real-ip|router|vpn|whois|interface|iface|network)\b|地址|主机|服务器|来源/iu;
const HOST_AFTER = /^(?::\d{2,5}\b|\/\d{1,2}\b(?!\/)|#\d{2,5}\b)/;
const AT_OR_URL = /(?:@|:\/\/|\[)$/;

/** Addresses that name no machine of anybody: loopback, link-local, unspecified, broadcast. */
const NOBODY = new BlockList();
NOBODY.addSubnet('127.0.0.0', 8);
NOBODY.addSubnet('169.254.0.0', 16);
NOBODY.addSubnet('0.0.0.0', 8);
NOBODY.addSubnet('255.0.0.0', 8);

const COLON = 58;

/** IPv4 and IPv6 addresses of hosts. Four-part versions look like the former: neighbouring words and the size of the parts decide. */
export function* detectIpAddresses(text: string): Generator<Detection> {
  const withColons = [...linesWith(text, 2, (code) => code === COLON)];
  for (const { index, value: candidate } of matchesAmongDigits(withColons, IPV6)) {
    const address = candidate.replace(/(?<!:):$/, '');
    const isAddress = isIPv6(address) && IPV6_OF_A_HOST.test(address) && !WORLD_WIDE_NAME.test(address);
    if (isAddress && !isNobody(address.replace(/^::ffff:/i, '')))
      yield { start: index, end: index + address.length, type: 'IP_ADDRESS' };
  }
  const withDigits = [...linesWith(text, 4, isDigit)];
  for (const { index, value: address } of matchesAmongDigits(withDigits, IPV4)) {
    const end = index + address.length;
    if (!isIPv4(address) || isNobody(address)) continue;
    if (isHost(address, textBefore(text, index), text.slice(end, end + 8)))
      yield { start: index, end, type: 'IP_ADDRESS' };
  }
}

const isNobody = (address: string): boolean => isIPv4(address) && NOBODY.check(address);

function isHost(address: string, before: string, after: string): boolean {
  if (HOST_AFTER.test(after) || AT_OR_URL.test(before)) return true;
  if (VERSION_BEFORE.test(before)) return false;
  return looksAllocated(address) || HOST_BEFORE.test(before.slice(-40));
}

/** Parts of a version seldom reach a hundred; of addresses, one mostly does. */
const looksAllocated = (address: string): boolean => {
  const parts = address.split('.').map(Number);
  return (parts[0] ?? 0) >= 10 && Math.max(...parts) >= 100;
};
