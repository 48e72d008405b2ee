//! How long an endpoint asks to wait.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// The wait that the headers ask for, in milliseconds, seconds, or up to a moment
/// (<https://www.rfc-editor.org/rfc/rfc9110#field.retry-after>); no wait for one that has passed.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let wait = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = wait.parse() {
        return Some(Duration::from_secs(seconds));
    }
    if let Ok(seconds) = wait.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let moment = httpdate::parse_http_date(wait).ok()?;
    Some(moment.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn wait(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_str(value).unwrap(),
        );
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        retry_after(&headers, now)
    }

    #[test]
    fn seconds_milliseconds_and_moments_are_read() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(wait("retry-after", "7"), seconds(7));
        assert_eq!(wait("retry-after", " 0 "), seconds(0));
        assert_eq!(
            wait("retry-after", "1.5"),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(
            wait("retry-after-ms", "250"),
            Some(Duration::from_millis(250))
        );
        assert_eq!(
            wait("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"),
            seconds(30)
        );
        assert_eq!(
            wait("retry-after", "Sunday, 06-Nov-94 08:50:07 GMT"),
            seconds(30)
        );
        assert_eq!(
            wait("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"),
            seconds(0)
        );
    }

    #[test]
    fn what_is_no_wait_is_none() {
        for value in ["soon", "-1", "NaN", "inf", "1e400", ""] {
            assert_eq!(wait("retry-after", value), None, "{value}");
        }
        assert_eq!(wait("date", "7"), None);
    }
}
