import { t } from "../i18n";

export default function NotFound() {
  return <p role="alert">{t("page.missing")}</p>;
}
