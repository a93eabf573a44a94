import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { goTo, type Page, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import { sudoFirst } from '../accounts/index.ts';
import { PANEL } from '../panel/index.ts';
import { deskOf } from './desk.ts';
import { FileParams } from './endpoints.ts';

const PATH = '/admin/system/backups';
const AREA = { layout: PANEL, help: 'back-up' } as const;

/** Loaded by whoever looks. */
const shownOf = () => import('./shown.ts');
const staff = () => import('./staff.ts');

/** The backups, and how old the newest one is (admin.md 5.6). */
const listPage: Page = page({
  ...AREA,
  path: PATH,
  title: 'Backups',
  audience: { staff: 'system:read' },
  nav: { area: 'system', label: 'Backups', words: 'restore archive copy disaster', order: 15 },
  fragments: { backups: 'platform/backup-list' },
  form: z.object({}),
  show: async (ctx) => show('platform/backups', await (await shownOf()).listModel(ctx, PATH)),
  async submit(ctx) {
    await (await shownOf()).requireMayBegin(ctx);
    await (await staff()).beginBackup(ctx);
    return goTo(PATH);
  },
});

/** One of them: what it is, its download, whether it is whole, and the commands that restore it. */
const itemPage: Page = page({
  ...AREA,
  path: `${PATH}/{file}`,
  title: 'Backup',
  audience: { staff: 'system:read' },
  params: FileParams,
  form: z.object({}),
  show: async (ctx, { params }) =>
    show('platform/backup', await (await shownOf()).itemModel(ctx, params.file, PATH)),
  async submit(ctx, { params }) {
    await (await shownOf()).requireMayBegin(ctx);
    const { beginVerification } = await import('./verifying.ts');
    const { id } = await beginVerification(ctx, params.file);
    return goTo(`/admin/tasks/${id}`);
  },
});

const downloadPage: Page = page({
  ...AREA,
  path: `${PATH}/{file}/download`,
  title: 'Download a backup',
  audience: { staff: 'system:danger' },
  params: FileParams,
  async show(ctx, { visitor, params: { file } }): Promise<Shown> {
    const back = `${PATH}/${encodeURIComponent(file)}`;
    return sudoFirst(ctx, visitor, back) ?? sent(ctx, file);
  },
});

/** Asks for the name of the service, stops the server, and waits until it is there again. */
const restorePage: Page = page({
  ...AREA,
  path: `${PATH}/{file}/restore`,
  title: 'Restore a backup',
  help: 'restore-a-backup',
  audience: { staff: 'system:danger' },
  params: FileParams,
  form: z.object({ name: z.string().max(200) }),
  async show(ctx, { visitor, params: { file } }): Promise<Shown> {
    const first = sudoFirst(ctx, visitor, restorePathOf(file));
    return first ?? show('platform/backup-restore', await (await shownOf()).itemModel(ctx, file, PATH));
  },
  async submit(ctx, { visitor, params: { file }, form: { name } }): Promise<Shown> {
    const first = sudoFirst(ctx, visitor, restorePathOf(file));
    if (first) return first;
    const { serviceName } = deskOf(ctx).config;
    if (name !== serviceName)
      throw refuseForm('Nothing was restored.', { name: `Type ${serviceName} to restore.` }, 422);
    await (await staff()).beginRestore(ctx, file);
    return show('platform/backup-restoring', { path: PATH, file });
  },
});

const restorePathOf = (file: string): string => `${PATH}/${encodeURIComponent(file)}/restore`;

const sent = async (ctx: Ctx, file: string): Promise<Shown> => ({
  stream: await (await staff()).downloadBackup(ctx, file),
  orElse: async (error) => {
    throw error;
  },
});

export const backupPages: readonly Page[] = [listPage, itemPage, downloadPage, restorePage];
