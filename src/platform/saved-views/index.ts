export { LONGEST_NAME, LONGEST_QUERY } from './record.ts';
export { change, choose, type ListOf, of, remove, type ShownView, save } from './saved-views.ts';
