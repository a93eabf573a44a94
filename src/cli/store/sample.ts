import { sleep } from '#kernel/clock.ts';
import type { SampleRemoved, SampleShown } from '#storefront/tools/sample/view.ts';
import { noteChange, planned } from '../change.ts';
import type { Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { type Answer, loadStoreApi } from './twin.ts';

const twins = async () => (await import('#storefront/tools/sample/endpoints.store.ts')).sampleEndpoints;

const withSample = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work, loadStoreApi);

const LOOK_MS = 300;

/** `appctl store sample load`. */
export function loadSample(cli: Cli): Promise<void> {
  return withSample(cli, async (desk) => {
    const begun = (await desk.post<Answer<SampleShown>>('sample/load')).data;
    const { task, ...counts } = cli.dryRun ? begun : await untilLoaded(cli, desk, begun);
    if (!cli.dryRun && task?.status !== 'DONE')
      throw new CliError(
        exits.unexpected,
        'LOAD_FAILED',
        `the load stopped: ${task?.error ?? 'no reason given'}`,
        {
          hint: 'run it again to continue',
        },
      );
    const { products, categories, collections, pictures, pages } = counts;
    await cli.out.value(
      planned(cli, counts),
      () =>
        `sample data ${cli.dryRun ? 'that would be in' : 'in'} the shop: ${products} products, ${categories} categories, ${collections} collections, ${pictures} pictures, ${pages} pages`,
    );
    if (cli.dryRun) noteChange(cli, 'load the sample data');
    else cli.next('appctl store product list', 'appctl store sample remove');
  });
}

async function untilLoaded(cli: Cli, desk: Desk, begun: SampleShown): Promise<SampleShown> {
  const progress = await cli.progress('sample data', begun.task?.total ?? 0);
  let shown = begun;
  try {
    while (shown.task?.status === 'RUNNING') {
      progress.update(shown.task.done);
      await sleep(LOOK_MS);
      shown = (await desk.get<Answer<SampleShown>>('sample')).data;
    }
    return shown;
  } finally {
    progress.stop();
  }
}

/** `appctl store sample remove`. */
export function removeSample(cli: Cli): Promise<void> {
  return withSample(cli, async (desk) => {
    await cli.confirm({
      action: 'remove the sample data from the shop',
      more: ['Anything changed since it was loaded stays.'],
    });
    const { removed, kept } = (await desk.post<Answer<SampleRemoved>>('sample/remove')).data;
    const { products, categories, collections, pictures, pages } = removed;
    await cli.out.value(
      planned(cli, { removed, kept }),
      () =>
        `removed ${products} products, ${categories} categories, ${collections} collections, ${pictures} pictures, ${pages} pages; kept ${kept.length}`,
    );
    if (cli.json) return;
    for (const { kind, slug, reason } of kept) cli.note(`kept ${kind} ${slug}: ${reason}`);
    if (cli.dryRun) cli.note('dry run: nothing was changed');
  });
}
