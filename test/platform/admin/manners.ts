// What differs between the staff surfaces, as a caller of both sees it.
import type { Answer } from '../../support/http-client.ts';

/** How each surface says the same. */
export const manners = {
  'license-admin': {
    base: '/api/v1/admin',
    name: (name: string) => name,
    one: (body: Answer) => body.book as never as Record<string, unknown>,
    many: (body: Answer) => body.items as never as Record<string, unknown>[],
    other: ({ success: _success, ...rest }: Answer) => rest,
    pages: { limit: 2 },
    total: (body: Answer) => body.pagination?.total,
    export: '/export',
    next: (body: Answer) => body.nextCursor as never as string | null,
    since: (version: number) => ({ headers: { 'If-Match': `"${new Date(version).toISOString()}"` } }),
    code: (body: Answer) => body.error?.code,
  },
  store: {
    base: '/api/store',
    name: (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    one: (body: Answer) => body.data as never as Record<string, unknown>,
    many: (body: Answer) => body.data as never as Record<string, unknown>[],
    other: ({ data }: Answer) => data,
    pages: { per_page: 2 },
    total: (body: Answer) => body.pagination?.total,
    export: '/export.csv',
    next: (body: Answer) => body.next_cursor as never as string | null,
    since: () => ({}),
    code: (body: Answer) => body.error_code,
  },
} as const;
