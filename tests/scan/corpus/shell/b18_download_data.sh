# benign: downloads a data set
mkdir -p data
for year in 2021 2022 2023; do
    wget -q -nc -P data "https://data.example.org/weather/$year.csv.gz"
done
gunzip -kf data/*.gz
