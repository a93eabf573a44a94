import { testPage } from './run-page.ts';

testPage('operate-under-load');
