// The commands of the pages in the folders of docs.
import { PAGES, typePages } from './typed-pages.ts';

typePages(PAGES.filter((page) => /^docs\/.+\//.test(page)));
