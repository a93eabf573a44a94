// Commands about releases at both desks (cli.md sections 1.7 and 3.4).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BothDesks, type OneDesk, openBothDesks } from '../support/both-desks.ts';
import { type ShownRelease, writeReleaseFiles } from './release-life.ts';

let desks: BothDesks;
beforeAll(async () => {
  desks = await openBothDesks();
  writeReleaseFiles(desks.cwd);
  writeFileSync(join(desks.cwd, 'other.zip'), 'other bytes');
});
afterAll(() => desks.close());

const product = ({ tag }: OneDesk, kind = 'editor') =>
  desks.app.product({ name: `${kind} ${tag}`, slug: `${kind}-${tag}` });

describe('releases at both desks', () => {
  test('the life of a release', () =>
    desks.same(async (desk) => {
      const { slug } = await product(desk);
      await desk.run(`release list --product ${slug}`);
      const shipped = await desk.answer<ShownRelease>(
        `release ship app.zip --product ${slug} --version 1.0.0 --key a.key --sequence 1 --force`,
      );
      expect(shipped).toMatchObject({ state: 'PUBLISHED', keyRegistered: true });
      await desk.run(`release ship app.zip --product ${slug} --version 1.0.0 --key a.key --force`);
      const draft = await desk.answer<ShownRelease>(
        `release create --product ${slug} --version 1.1.0 --channel beta`,
      );
      await desk.run(`release upload ${draft.id} other.zip --key a.key --sequence 2`);
      await desk.run(`release publish ${draft.id}`);
      await desk.run(`release rollout ${draft.id} --percent 10`);
      await desk.run(`release promote ${draft.id} --to stable --key a.key --sequence 3`);
      await desk.run(`release renew ${draft.id} --key a.key --statement-days 2000`);
      await desk.run(`release yank ${draft.id} --reason bad`);
      await desk.run(`release yank ${draft.id} --reason bad --yes`);
      await desk.run(`release unyank ${draft.id} --yes`);
      await desk.run(`release archive ${draft.id}`);
      await desk.run(`release stats ${draft.id}`);
      await desk.run(`release show ${draft.id}`);
      await desk.run(`release list --product ${slug} --plain`);
      const other = await desk.answer<ShownRelease>(`release create --product ${slug} --version 1.2.0`);
      await desk.run(`release delete ${other.id}`);
    }));

  test('refusals', () =>
    desks.same(async (desk) => {
      await desk.failure('release show rel_none');
      await desk.failure('release show .');
      await desk.failure(['release', 'show', '']);
      await desk.failure(['release', 'archive', '../products']);
      await desk.failure(`release show ${'x'.repeat(40)}`);
      await desk.failure('release list --product nope');
      await desk.failure(`release create --product nope --version 1.0.0`);
      await desk.failure('release rollout rel_none --percent 10');
      await desk.failure('release promote rel_none --to stable');
      const { slug } = await product(desk, 'viewer');
      const refused = await desk.failure(`release create --product ${slug} --version x`);
      expect(refused).toMatchObject({ exit: 2, message: expect.stringContaining('--version') });
      expect(await desk.failure('release delete rel_none')).toMatchObject({ exit: 3 });
    }));
});
