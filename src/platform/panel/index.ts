export { panel } from './capability.ts';
export { shellWord } from './screens/command.ts';
export { PANEL } from './screens/list-page.ts';
export { panelTenant } from './tenant.ts';
