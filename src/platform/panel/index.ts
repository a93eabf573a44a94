export { panel } from './capability.ts';
export { PANEL } from './screens/list-page.ts';
export { panelTenant } from './tenant.ts';
