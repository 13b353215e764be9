import { isIP } from 'node:net';

/** Names and addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (name === 'localhost' || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

/** Whether a `Host` header names this machine. */
export function namesLoopback(authority: string | undefined): boolean {
  if (authority === undefined || !/^[\w.:[\]-]+$/.test(authority) || !URL.canParse(`http://${authority}`))
    return false;
  return isLoopback(new URL(`http://${authority}`).hostname);
}
