import type { Exchange } from './exchange.ts';

/** The page of the manual that explains each code under a heading of its own. */
const PAGE = '/help/errors';

/** Says with a refusal where its code is explained (RFC 8288; manual, "Errors by code"). */
export function addHelpLink({ headers }: Exchange, code: string): void {
  headers.Link = `<${PAGE}#${code.toLowerCase()}>; rel="help"`;
}
