import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type Json = Record<string, unknown>;
type Reply = { $ref?: string; content?: Record<string, { schema: Json }> };

const root = join(import.meta.dirname, '../..');

/** Names of components by the file that gives them. */
function componentIds(): { id: string; file: string }[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(root, 'src', file), 'utf8').matchAll(/\.meta\(\{ id: '(\w+)' \}\)/g)].map(
        ([, id = '']) => ({ id, file }),
      ),
    );
}

test('no two views have one name', () => {
  const ids = componentIds();
  expect(ids.length).toBeGreaterThan(80);
  const names = ids.map(({ id }) => id);
  expect(ids.filter(({ id }, index) => names.indexOf(id) !== index)).toEqual([]);
});

test('every answer of the admin API is a named component', () => {
  const text = readFileSync(join(import.meta.dirname, 'snapshots/admin.openapi.json'), 'utf8');
  const { paths, components } = JSON.parse(text) as {
    paths: Record<string, Record<string, { responses: Record<string, Reply> }>>;
    components: { responses: Record<string, Reply> };
  };
  // An answer that several operations have is a component itself.
  const whole = (reply: Reply): Reply | undefined =>
    reply.$ref === undefined ? reply : components.responses[reply.$ref.replace(/^.*\//, '')];
  const replies = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1/admin/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.entries(responses)
          // Exports are files, the live tail a stream, and figures are a text.
          .filter(
            ([status]) => /^20[01]$/.test(status) && !/\/(export|file|metrics|stream|download)$/.test(path),
          )
          .map(([status, reply]) => ({
            at: `${method} ${path} ${status}`,
            schema: whole(reply)?.content?.['application/json']?.schema,
          })),
      ),
    );
  expect(replies.length).toBeGreaterThan(40);
  const own = { allOf: [{ $ref: '#/components/schemas/Success' }, { $ref: expect.any(String) }] };
  for (const { at, schema } of replies) expect({ at, schema }).toEqual({ at, schema: own });
});
