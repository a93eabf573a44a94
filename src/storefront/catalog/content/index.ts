export { change, create, get, remove } from './content.ts';
export type { ListedPage } from './queries.ts';
export type { ContentPage } from './record.ts';
export { listShown, shownPage } from './shop.ts';
