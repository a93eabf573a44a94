import { buildInfo } from '#kernel/build-info.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { textContent } from '#kernel/http/content.ts';
import { download, type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { describedApi } from '#kernel/http/openapi-words.ts';
import { type Page, page } from '#kernel/http/page.ts';
import type { Surface } from '#kernel/http/surface.ts';
import { ANY_STAFF } from '#platform/admin/index.ts';
import { PANEL } from '#platform/panel/index.ts';

const TYPE = 'application/json; charset=utf-8';

/** The reference sets styles of its elements, and draws its icons from data addresses. */
const CSP =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** The store's surface with the endpoint of its own document, which describes that one too. */
export function withDocument(surface: Surface): Surface {
  const documented: Surface = {
    ...surface,
    endpoints: [...surface.endpoints, documentEndpoint(() => documented)],
  };
  return documented;
}

const documentEndpoint = (surface: () => Surface): Endpoint =>
  endpoint({
    method: 'get',
    path: '/api-docs.json',
    summary: 'The OpenAPI document of this API',
    scope: ANY_STAFF,
    limit: null,
    content: { type: 'application/json', headers: {} },
    replies: {},
    errors: [],
    handle: async () => {
      const text = JSON.stringify(describedApi(surface(), buildInfo().version, '/'));
      return download(textContent(TYPE, text, { etag: `"${sha256Hex(text).slice(0, 32)}"` }));
    },
  });

/** The interactive reference of the store's API, for staff; without JavaScript a list of its operations (S22). */
export const storeReferencePage = (surface: Surface): Page =>
  page({
    path: '/api-docs.html',
    title: 'API reference',
    audience: 'staff',
    layout: PANEL,
    help: 'call-the-api',
    nav: { area: 'store', label: 'API reference', order: 990 },
    show: async () => ({
      view: 'store/api-reference',
      data: { groups: groupsOf(surface) },
      head: { headers: { 'Content-Security-Policy': CSP } },
    }),
  });

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly needs: string | null;
}

/** Operations by the part of the API that they belong to, by the words of their paths. */
function groupsOf({
  endpoints,
}: Surface): readonly { readonly name: string; readonly operations: Operation[] }[] {
  const groups = new Map<string, Operation[]>();
  for (const { method, path, summary, scope, orScope } of endpoints) {
    const [, , area = '', name = ''] = path.split('/');
    const key = path.startsWith('/api/') ? `${area} ${name}` : 'document';
    const needs = [scope, orScope].filter((one) => one?.includes(':'));
    const operation = {
      method: method.toUpperCase(),
      path,
      summary,
      needs: needs.length === 0 ? null : needs.join(' or '),
    };
    groups.set(key, [...(groups.get(key) ?? []), operation]);
  }
  return [...groups].map(([name, operations]) => ({ name, operations }));
}
