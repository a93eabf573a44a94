// What every answer of the panel says to browsers about itself.
import type { IncomingHttpHeaders } from 'node:http';

/** What lets a page run or keep more than it may; empty when nothing does. */
export function policyFaults(headers: IncomingHttpHeaders): string[] {
  const policy = String(headers['content-security-policy'] ?? '');
  const scripts = policy.split(';').find((one) => /^\s*script-src /.test(one)) ?? '';
  return [
    ...(/default-src 'self'|default-src 'none'/.test(policy) ? [] : [`no default-src: ${policy}`]),
    ...(/script-src 'self'\s*$/.test(scripts) ? [] : [`script-src: ${scripts}`]),
    ...(/unsafe-(?:inline|eval)/.test(policy) ? [`unsafe: ${policy}`] : []),
    ...(/frame-ancestors 'none'/.test(policy) ? [] : ['may be framed']),
    ...(/no-store/.test(headers['cache-control'] ?? '') ? [] : ['may be stored']),
  ];
}

/** A file is saved and never shown, whatever stands in it. */
export const fileFaults = (headers: IncomingHttpHeaders): string[] => [
  ...(headers['x-content-type-options'] === 'nosniff' ? [] : ['may be sniffed']),
  ...(/^attachment;/.test(String(headers['content-disposition'])) ? [] : ['is no attachment']),
];
