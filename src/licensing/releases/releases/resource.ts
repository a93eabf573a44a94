import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { flag, optional, text } from '#kernel/http/fields.ts';
import type { Upload } from '#kernel/http/upload.ts';
import { later } from '#kernel/sharing.ts';
import { type Action, action, adminResource, answering, type How } from '#platform/admin/index.ts';
import { attachBundle } from './bundle.ts';
import { create, remove, update } from './draft.ts';
import { archive, promote, unyank, yank } from './lifecycle.ts';
import { publish } from './publish.ts';
import { releaseRows } from './queries.ts';
import { get, stats } from './read.ts';
import type { Release } from './release.ts';
import { rollout } from './rollout-change.ts';
import {
  PromoteInput,
  PublishInput,
  ReleaseCreate,
  ReleaseUpdate,
  RolloutInput,
  SignatureInput,
  YankInput,
} from './schemas.ts';
import { releaseScreen } from './screen.ts';
import { attachSignature } from './signature.ts';
import { BundleView, ReleaseStatsView, ReleaseView, releaseView } from './view.ts';

const dayField = () =>
  text({ min: 10, max: 10, form: { pattern: /^\d{4}-\d\d-\d\d$/, says: 'a day, YYYY-MM-DD in UTC' } });

/** Of everything that changes one release. */
const common = {
  needs: 'licensing:write',
  where: 'row',
  conditional: true,
  errors: ['CONFLICT', 'PRECONDITION_FAILED', 'VERIFICATION_FAILED'],
} as const;

const bundle: Action<Release> = {
  ...common,
  label: 'Upload the bundle of',
  summary: 'Upload the bundle of a draft, or restore the file of a published release',
  level: 'mild',
  method: 'put',
  query: z.strictObject({ filename: text({ min: 1, max: 255 }).optional() }),
  upload: { maxBytes: (ctx: Ctx) => ctx.uploadLimitBytes },
  output: BundleView,
  run: async (ctx, id, { file, query }: { file: Upload; query: { filename?: string } }, { ifMatch }) => {
    const sent = { filename: query.filename ?? file.filename, source: file.stream };
    const release = await attachBundle(ctx, id, sent, { ifMatch });
    const { bundleSha256: sha256, bundleSha512: sha512, bundleSize: size } = release;
    return { sha256, sha512, size, release: releaseView(release, ctx.now()) };
  },
};

const changing = {
  signature: action<Release, typeof SignatureInput>({
    ...common,
    label: 'Sign',
    summary: 'Add the signature of a draft, or renew the statement of a published release',
    level: 'mild',
    method: 'put',
    input: SignatureInput,
    run: attachSignature,
  }),
  publish: action<Release, typeof PublishInput>({
    ...common,
    label: 'Publish',
    summary: 'Publish a draft; refused unless bundle, signature, statement and channel are valid',
    level: 'moderate',
    input: PublishInput,
    when: ({ state }) => state === 'DRAFT',
    run: publish,
  }),
  yank: action({
    ...common,
    label: 'Withdraw',
    summary: 'Withdraw a release, so that it is not offered or served',
    level: 'severe',
    where: 'both',
    input: YankInput.extend({ unpublishFile: optional(flag()) }),
    when: ({ state }: Release) => state === 'PUBLISHED' || state === 'ARCHIVED',
    run: yank,
  }),
  unyank: action<Release>({
    ...common,
    label: 'Bring back',
    summary: 'Undo the withdrawal of a release; it is published or archived as before',
    level: 'moderate',
    when: ({ state }) => state === 'YANKED',
    run: (ctx, id, _input, how) => unyank(ctx, id, how),
  }),
  archive: action<Release>({
    ...common,
    label: 'Archive',
    summary: 'Stop offering a release; it can still be downloaded by its ID',
    level: 'moderate',
    where: 'both',
    when: ({ state }) => state === 'PUBLISHED',
    run: (ctx, id, _input, how) => archive(ctx, id, how),
  }),
  rollout: action<Release, typeof RolloutInput>({
    ...common,
    label: 'Change the rollout of',
    summary: 'Change the rollout of a release; a percentage without a schedule ends the schedule',
    level: 'mild',
    where: 'both',
    input: RolloutInput,
    run: rollout,
  }),
  promote: action<Release, typeof PromoteInput>({
    ...common,
    label: 'Promote',
    summary: 'Move a published release to another channel, with a new statement when it has one',
    level: 'moderate',
    input: PromoteInput,
    when: ({ state }) => state === 'PUBLISHED',
    run: promote,
  }),
};

/** What customers update to, for staff (licensing 4.2, Releases). */
export const releaseResource = adminResource<Release, typeof ReleaseCreate, typeof ReleaseUpdate>({
  name: 'releases',
  labels: { one: 'release', many: 'releases' },
  about: 'Versions of a product, signed and delivered to customers',
  needs: { read: 'licensing:read', write: 'licensing:write' },
  screen: releaseScreen,
  rows: releaseRows,
  get: (ctx, id) => get(ctx, id),
  create: {
    schema: ReleaseCreate,
    summary: 'Create a draft of a release',
    errors: ['NOT_FOUND', 'CONFLICT'],
    run: create,
  },
  edit: {
    schema: ReleaseUpdate,
    summary: 'Change a release; once published only its changelog and rollout',
    run: update,
  },
  remove: {
    level: 'mild',
    summary: 'Delete a draft',
    isBulk: true,
    run: (ctx: Ctx, id: string, how: How) => remove(ctx, id, how),
  },
  actions: {
    stats: answering({
      label: 'Show the numbers of',
      summary: 'Show how often a release was checked for, offered and downloaded',
      needs: 'licensing:read',
      level: 'mild',
      where: 'row',
      method: 'get',
      query: later(() => z.strictObject({ from: dayField().optional(), to: dayField().optional() })),
      output: ReleaseStatsView,
      run: (ctx, id, range) => stats(ctx, id, range),
    }),
    bundle,
    ...changing,
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/releases',
      item: 'release',
      view: ReleaseView,
      toView: (release, ctx) => releaseView(release, ctx.now()),
      summaries: { list: 'List the releases, newest first' },
    },
  ],
});
