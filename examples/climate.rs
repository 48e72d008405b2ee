//! A small climate table: what a weather service would answer, without the service.
//!
//! The figures are 30-year normals (1991 to 2020 where they are published) of the kind that national weather services
//! give through the World Meteorological Organization, rounded to whole degrees and millimetres. They are close enough
//! for an example and are no source to cite.

/// The normals of one city, January first.
pub(crate) struct City {
    pub(crate) name: &'static str,
    /// Monthly mean temperature in °C.
    pub(crate) celsius: [i8; 12],
    /// Monthly precipitation in mm.
    pub(crate) millimetres: [u16; 12],
}

impl City {
    /// The city of that name, in any case.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        let name = name.trim();
        CITIES
            .iter()
            .find(|city| city.name.eq_ignore_ascii_case(name))
    }

    /// The mean temperature of a month (1 to 12), or of the year, in °C.
    pub(crate) fn mean_celsius(&self, month: Option<u8>) -> f64 {
        match month {
            Some(month) => f64::from(of_month(&self.celsius, month)),
            None => self.celsius.iter().copied().map(f64::from).sum::<f64>() / 12.0,
        }
    }

    /// The precipitation of a month (1 to 12), or of the year, in mm.
    pub(crate) fn total_millimetres(&self, month: Option<u8>) -> f64 {
        match month {
            Some(month) => f64::from(of_month(&self.millimetres, month)),
            None => self.millimetres.iter().copied().map(f64::from).sum(),
        }
    }
}

/// The name of a month from 1 to 12, or of the whole year.
pub(crate) fn period(month: Option<u8>) -> &'static str {
    const NAMES: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    month.map_or("a year", |month| of_month(&NAMES, month))
}

/// The entry of a month from 1 to 12. Other months never arrive: the schema of each tool rules them out.
fn of_month<T: Copy>(values: &[T; 12], month: u8) -> T {
    values[usize::from(month.clamp(1, 12)) - 1]
}

pub(crate) const CITIES: [City; 12] = [
    City {
        name: "Cairo",
        celsius: [14, 15, 18, 22, 25, 28, 28, 28, 27, 24, 19, 15],
        millimetres: [5, 4, 4, 1, 1, 0, 0, 0, 0, 1, 4, 6],
    },
    City {
        name: "Delhi",
        celsius: [14, 17, 23, 29, 33, 33, 32, 30, 29, 26, 20, 15],
        millimetres: [19, 21, 17, 16, 31, 74, 210, 233, 124, 15, 6, 8],
    },
    City {
        name: "Lima",
        celsius: [22, 23, 22, 21, 19, 17, 16, 16, 16, 17, 18, 20],
        millimetres: [1, 0, 0, 0, 0, 1, 1, 2, 1, 0, 0, 0],
    },
    City {
        name: "London",
        celsius: [6, 6, 8, 10, 14, 17, 19, 19, 16, 12, 9, 6],
        millimetres: [59, 45, 39, 42, 46, 47, 46, 53, 50, 65, 67, 57],
    },
    City {
        name: "Nairobi",
        celsius: [19, 20, 20, 20, 18, 17, 16, 17, 18, 19, 18, 18],
        millimetres: [64, 57, 93, 219, 177, 35, 18, 24, 28, 55, 154, 101],
    },
    City {
        name: "New York",
        celsius: [1, 2, 6, 12, 17, 22, 25, 25, 21, 14, 9, 4],
        millimetres: [92, 81, 109, 104, 101, 115, 117, 116, 109, 111, 91, 111],
    },
    City {
        name: "Oslo",
        celsius: [-2, -2, 2, 6, 12, 15, 18, 17, 12, 6, 2, -2],
        millimetres: [58, 45, 41, 48, 60, 82, 85, 106, 84, 93, 84, 58],
    },
    City {
        name: "Reykjavik",
        celsius: [1, 1, 1, 4, 7, 10, 12, 11, 9, 5, 2, 1],
        millimetres: [88, 92, 82, 58, 53, 44, 52, 67, 89, 83, 80, 94],
    },
    City {
        name: "Rome",
        celsius: [8, 9, 11, 14, 18, 22, 25, 25, 21, 17, 13, 9],
        millimetres: [67, 73, 58, 81, 53, 34, 19, 37, 73, 113, 115, 81],
    },
    City {
        name: "Singapore",
        celsius: [27, 27, 28, 28, 29, 29, 28, 28, 28, 28, 27, 27],
        millimetres: [222, 105, 151, 164, 164, 135, 147, 147, 125, 168, 252, 332],
    },
    City {
        name: "Sydney",
        celsius: [24, 23, 22, 20, 17, 14, 13, 15, 17, 19, 20, 22],
        millimetres: [91, 132, 118, 114, 101, 142, 80, 75, 63, 68, 91, 73],
    },
    City {
        name: "Tokyo",
        celsius: [5, 6, 9, 14, 19, 22, 26, 27, 23, 18, 13, 8],
        millimetres: [60, 57, 116, 134, 140, 168, 156, 155, 225, 235, 96, 58],
    },
];
