// Portions of work that rest: what else waits in this process gets its turn before the next one.
import { expect, it } from 'vitest';
import { paced } from '#kernel/jobs/pace.ts';

it('what came while a portion ran is done before the portion is answered, also when it fails', async () => {
  const done: string[] = [];
  const portion = (name: string) => async () => {
    setTimeout(() => done.push(`waiting for ${name}`), 0);
    if (name === 'b') throw new Error('no luck');
    return name;
  };
  done.push(await paced(portion('a')));
  await expect(paced(portion('b'))).rejects.toThrow('no luck');
  done.push('end');
  expect(done).toEqual(['waiting for a', 'a', 'waiting for b', 'end']);
});
