// Which files of a project start first. One that runs for a minute and starts last leaves the other workers with nothing
// to do. vitest knows how long files take after its first run only, and goes by their size until then: the longest are
// short texts that walk every resource or start many processes.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first, below `test/`: each took ten seconds of processor time or more when all were measured. */
export const LONG = [
  'platform/admin/resources.db.test.ts',
  'platform/admin/bulk-tasks.db.test.ts',
  'contract/admin-doors.db.test.ts',
  'contract/admin.db.test.ts',
  'cli/serve.test.ts',
  'removal.test.ts',
  'cli/serve-refused.test.ts',
  'cli/one-server.test.ts',
  'cli/lifecycle.db.test.ts',
  'cli/lost-database.db.test.ts',
] as const;

type Placed = Pick<TestSpecification, 'moduleId'> & { readonly project: { readonly name: string } };

/** Puts the long files of each project before its others, whose order stays. @param files those of a project together */
export function longFirst<F extends Placed>(files: readonly F[]): F[] {
  const place = ({ moduleId }: F): number => {
    const at = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}`));
    return at < 0 ? LONG.length : at;
  };
  const projects = new Set(files.map(({ project }) => project.name));
  return [...projects].flatMap((name) =>
    files.filter(({ project }) => project.name === name).sort((one, other) => place(one) - place(other)),
  );
}

/** vitest makes one and asks it for the order. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longFirst(await super.sort(files));
  }
}
