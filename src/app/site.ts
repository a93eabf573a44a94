import { allows } from '#kernel/actor.ts';
import { gather } from '#kernel/gather.ts';
import { goTo, page } from '#kernel/http/page.ts';
import type { HttpRuntime } from '#kernel/http/runtime.ts';
import type { Site } from '#kernel/http/site.ts';
import type { Surface } from '#kernel/http/surface.ts';
import { createVisitors } from '#kernel/http/visitors.ts';
import { createRenderer } from '#kernel/views/render.ts';
import { createStaticFiles } from '#kernel/views/static-files.ts';
import { staffOwedPath, staffSignInPath } from '#platform/accounts/index.ts';
import { showBackupsOf } from '#platform/backup/index.ts';
import { panelTenant } from '#platform/panel/index.ts';
import { sessionKeeper } from '#platform/sessions/index.ts';
import { customerSignInPath } from '#storefront/index.ts';
import { verifyBackupsHere } from './backup/scheduled.ts';
import { servedCapabilities } from './capabilities.ts';
import { firstLicensePage } from './first-license-page.ts';
import type { Instance } from './instance.ts';
import type { ServerStatus } from './server-report.ts';
import { setupNextPage } from './setup-page.ts';
import { storeReferencePage } from './store-reference.ts';
import type { ConfigSources } from './system-checks.ts';
import { systemPage } from './system-page.ts';
import { welcomePage } from './welcome-page.ts';

interface SiteParts {
  readonly server: () => ServerStatus;
  readonly sources: ConfigSources;
  readonly surfaces: readonly Surface[];
}

/**
 * The pages of every capability that the configuration serves, and those that join both services.
 *
 * @param parts what the server says of itself, where its configuration comes from, and the APIs that it serves
 */
export function siteOf(
  instance: Instance,
  { root, state }: HttpRuntime,
  { server, sources, surfaces }: SiteParts,
): Site {
  const { config } = instance;
  const desk = { config, files: sources.files };
  showBackupsOf(instance.ctx, desk);
  verifyBackupsHere(instance.ctx, desk);
  const { templatesDir, serviceName, baseUrl } = config;
  const files = createStaticFiles(templatesDir);
  const { pages, layouts, answered } = gather(servedCapabilities(config));
  return {
    pages: [
      welcomePage(config.features.license),
      home,
      ...(config.features.license ? [] : [bareHome]),
      systemPage(instance, server, sources),
      setupNextPage(config.features.license),
      ...(config.features.license ? [firstLicensePage] : []),
      ...surfaces.filter(({ name }) => name === 'store').map(storeReferencePage),
      ...pages,
    ],
    files,
    render: createRenderer(templatesDir, files, { serviceName, baseUrl }),
    visitors: createVisitors({
      root,
      keeper: sessionKeeper,
      isHttps: state.isHttps,
      signInPath: (audience, returnTo) =>
        audience === 'customer' ? customerSignInPath : staffSignInPath(returnTo),
      owedPath: staffOwedPath,
    }),
    around: layouts,
    tenantOf: panelTenant,
    limit: (_ctx, rule) => (config.rateLimit.enabled ? rule : null),
    // Whom limits refuse there is listed with the license service, as at the admin API.
    answerer: { name: 'pages', service: 'license', answered },
  };
}

/** As people type it. */
const home = page({
  path: '/admin',
  title: 'Home',
  audience: 'public',
  show: async () => goTo('/admin/'),
});

/** Where the panel begins without the license service, whose figures its first page shows. */
const bareHome = page({
  path: '/admin/',
  title: 'Home',
  audience: 'staff',
  show: async ({ actor }) => goTo(allows(actor, 'system:read') ? '/admin/system' : '/admin/profile'),
});
