import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LONG, longFirst } from './long-first.ts';

test('every long file is there', () => {
  expect(LONG.filter((name) => !existsSync(join(import.meta.dirname, '..', name)))).toEqual([]);
});

test('long files start first, longest before others, each in its project', () => {
  const file = (project: string, name: string) => ({
    project: { name: project },
    moduleId: `/home/test/${name}`,
  });
  const [first = '', second = ''] = LONG;
  const plain = [file('plain', 'a.test.ts'), file('plain', 'removal.test.ts'), file('plain', 'b.test.ts')];
  const sqlite = [file('sqlite', 'c.db.test.ts'), file('sqlite', second), file('sqlite', first)];
  expect(longFirst([...plain, ...sqlite]).map(({ moduleId }) => moduleId.replace('/home/test/', ''))).toEqual(
    [...['removal.test.ts', 'a.test.ts', 'b.test.ts'], ...[first, second, 'c.db.test.ts']],
  );
});
