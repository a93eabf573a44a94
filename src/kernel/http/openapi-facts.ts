import { lengthText } from '../time-words.ts';

type Json = Record<string, unknown>;

/**
 * The description of an operation: its own words, then what follows from its declaration.
 *
 * @param own words of the dictionary, for an operation that has no description itself
 * @param shared parameters that operations refer to
 */
export function operationText(operation: Json, own: string | undefined, shared: Json): string {
  const said = (operation.description as string | undefined) ?? own;
  return [...(said ? [ended(said)] : []), ...factsOf(operation, shared)].join('\n\n');
}

const ended = (text: string): string => (/[.:)]$/.test(text) ? text : `${text}.`);

function factsOf(operation: Json, shared: Json): string[] {
  const headers = new Set(
    (operation.parameters as Json[])
      .map((one) => resolved(one, shared))
      .flatMap((one) => (one.in === 'header' ? [String(one.name).toLowerCase()] : [])),
  );
  return [
    headers.has('x-license-key') ? 'Needs a license key in `X-License-Key`.' : accessOf(operation),
    limitOf(operation['x-rate-limit'] as RateLimit | undefined),
    headers.has('dry-run')
      ? 'With `Dry-Run: true`, the answer shows what would be done and nothing is changed.'
      : '',
    headers.has('if-match')
      ? 'With `If-Match`, a change that somebody else made in the meantime is not overwritten (412).'
      : '',
    [...headers].some((name) => name.endsWith('idempotency-key'))
      ? 'Safe to repeat with the same idempotency key.'
      : '',
  ].filter((text) => text !== '');
}

/** The parameter itself where one is referred to. */
export function resolved(parameter: Json, shared: Json): Json {
  const ref = parameter.$ref;
  return typeof ref === 'string' ? ((shared[ref.slice(ref.lastIndexOf('/') + 1)] ?? {}) as Json) : parameter;
}

function accessOf(operation: Json): string {
  const scopes = operation['x-scopes'] as string[] | undefined;
  const security = operation.security as Json[];
  const sudo = operation['x-sudo'] ? ' A person must have entered their password recently.' : '';
  if (scopes && scopes.length > 0) {
    const names = scopes.map((one) => `\`${one}\``).join(', ');
    return `Needs ${scopes.length > 1 ? 'one of ' : ''}${names}.${sudo}`;
  }
  if (security.length === 0) return `Needs no credential.${sudo}`;
  return `${scopes ? 'Any credential of this API opens it.' : 'Works with the session of a browser.'}${sudo}`;
}

type RateLimit = { max: number; windowSeconds: number; by: string };

const BY: Readonly<Record<string, string>> = {
  credential: 'credential',
  ip: 'address',
  account: 'account',
  customer: 'customer',
};

const limitOf = (limit: RateLimit | undefined): string =>
  limit
    ? `At most ${limit.max} requests in ${lengthText(limit.windowSeconds)} for each ${BY[limit.by] ?? limit.by}; above that 429 with \`Retry-After\`.`
    : '';
